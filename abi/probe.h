/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With probes=on the interrupt path stamps CNTPCT where it passes EL2, into guest RAM at
 * GUEST_PROBE_OFFSET; the guest stamps the rest. A stamp costs the instructions of its read and its
 * store, which guest/bench/irq_phases.c measures and reports. Stamps are those of the guest's last
 * interrupt: the hypervisor's own leave them alone. The first and the last of the list are no
 * probes of the path and always there: HC_RAISE stands for a device, and says when it fired.
 */
#pragma once

/* X(name): in the order of the path; offsets are 8 bytes apart. */
#define PROBE_STAMPS(X)                                                                            \
	X(raised)        /* HC_RAISE: just before the store that pends the interrupt */            \
	X(el2_vector)    /* first of all in the EL2 vector, after two registers are saved */       \
	X(acknowledged)  /* behind the read of IAR */                                              \
	X(injected)      /* behind the write to the list register */                               \
	X(eret)          /* before the registers are restored for ERET */                          \
	X(before_raised) /* HC_RAISE: right before `raised`: one stamp costs what lies between */

/* For hyp/arch/<isa>/vectors_instrumented.S: an offset in struct probe_stamps. */
#define PROBE_ERET 32

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct probe_stamps {
#define X(name) uint64_t name;
	PROBE_STAMPS(X)
#undef X
};

_Static_assert(offsetof(struct probe_stamps, eret) == PROBE_ERET, "vectors.S knows it");
#endif
