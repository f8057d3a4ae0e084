/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With probes=on the interrupt path stores CNTPCT at points in EL2 into guest RAM at
 * GUEST_PROBE_OFFSET; the guest stores the other stamps. guest/bench/irq_phases.c measures and
 * reports the cost of a stamp. The stamps belong to the guest's last interrupt; the hypervisor's
 * own interrupts do not change them. Hypercalls write the remaining stamps with every value of
 * `probes`; HC_RAISE acts as a device.
 */
#pragma once

/* X(name), in the order of the path. Offsets are 8 bytes apart. */
#define PROBE_STAMPS(X)                                                                            \
	X(raised)        /* HC_RAISE: just before the store that pends the interrupt */            \
	X(el2_vector)    /* the EL2 vector, after the save of two registers */                     \
	X(acknowledged)  /* after the read of IAR */                                               \
	X(injected)      /* after the write to the list register */                                \
	X(eret)          /* before the registers are restored for ERET */                          \
	X(before_raised) /* HC_RAISE: before `raised`; the difference is a stamp's cost */         \
	X(issued)        /* HC_YIELD, HC_FAIL_OVER, HC_SWITCH_OVER: the caller's; a faulting */    \
			 /* store's value; HC_HEARTBEAT: the deadline */                           \
	X(fails_over)    /* EL2 begins to fail over */                                             \
	X(paused)        /* EL2 has failed over, or has requested it from both VMs' cores */

/* An offset in struct probe_stamps, for hyp/arch/<isa>/vectors_instrumented.S. */
#define PROBE_ERET 32

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct probe_stamps {
#define X(name) uint64_t name;
	PROBE_STAMPS(X)
#undef X
};

_Static_assert(offsetof(struct probe_stamps, eret) == PROBE_ERET, "vectors.S has this offset");
#endif
