/* SPDX-License-Identifier: Apache-2.0 */
/* The vector tables: the plain table (hyp/arch/<isa>/vectors.S), and a table for each way to
 * account for exits (vectors_instrumented.S), so that a feature costs nothing while it is off. */
#pragma once

/* Kinds of tables: the additional work of an exit. All but the first read vcpu->exit_delay. */
#define VECTORS_PLAIN 0
#define VECTORS_DELAYED 1 /* only delay_el2 */
#define VECTORS_COUNTED 2 /* exit statistics */
#define VECTORS_TRACED 3  /* exit statistics and trace */
#define VECTORS_PROBED 4  /* stamps of IRQs: abi/probe.h */
#define VECTORS_ALL_LRS 5 /* a read of every list register */

/* X(kind, name, irq, sync): each kind has two tables, in which an IRQ and a hypercall take the
 * light frame (vectors_<name>) or the full frame (vectors_full_<name>). Their handlers are
 * trap_irq<irq>, trap_hvc<sync> and trap_sync<sync>; probes have a separate IRQ handler
 * (exits.inc). */
#define VECTOR_KINDS(X)                                                                            \
	X(VECTORS_DELAYED, delayed, , )                                                            \
	X(VECTORS_COUNTED, counted, _counted, )                                                    \
	X(VECTORS_TRACED, traced, _traced, _traced)                                                \
	X(VECTORS_PROBED, probed, , )                                                              \
	X(VECTORS_ALL_LRS, all_lrs, _all_lrs, _all_lrs)

/* Offsets in struct vcpu (hyp/vcpu/vcpu.h) that instrumented vectors use. */
#define VCPU_EXIT_START TRAP_FRAME_SIZE
#define VCPU_EXIT_DELAY (TRAP_FRAME_SIZE + 8)

#ifndef __ASSEMBLER__
#include "arch/types.h"

extern const char vectors[], vectors_full[];
#define X(kind, name, ...) extern const char vectors_##name[], vectors_full_##name[];
VECTOR_KINDS(X)
#undef X

#endif
