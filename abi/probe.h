/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With probes=on the interrupt path stamps CNTPCT where it passes EL2, into guest RAM at
 * GUEST_PROBE_OFFSET; the guest stamps the rest. A stamp costs the instructions of its read and its
 * store, which guest/bench/irq_phases.c measures and reports.
 */
#pragma once

/* X(name): in the order of the path; offsets are 8 bytes apart. */
#define PROBE_STAMPS(X)                                                                            \
	X(raised)       /* HC_RAISE: just before the store that pends the interrupt */             \
	X(el2_vector)   /* first of all in the EL2 vector, after two registers are saved */        \
	X(acknowledged) /* behind the read of IAR */                                               \
	X(injected)     /* behind the write to the list register */                                \
	X(eret)         /* before the registers are restored for ERET */

#ifndef __ASSEMBLER__
#include <stdint.h>

struct probe_stamps {
#define X(name) uint64_t name;
	PROBE_STAMPS(X)
#undef X
};
#endif
