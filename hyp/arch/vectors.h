/* SPDX-License-Identifier: Apache-2.0 */
/* The vector tables: the plain one (hyp/arch/<isa>/vectors.S), and one for each way to account for
 * exits, so that what is off costs nothing (vectors_instrumented.S). */
#pragma once

/* Kinds of tables: what an exit is besides handled. All but the first read vcpu->exit_delay. */
#define VECTORS_PLAIN 0
#define VECTORS_DELAYED 1 /* delay_el2, and nothing else */
#define VECTORS_COUNTED 2 /* exit statistics */
#define VECTORS_TRACED 3  /* the same, and the trace */
#define VECTORS_PROBED 4  /* (IRQ) stamped: abi/probe.h */
#define VECTORS_ALL_LRS 5 /* every list register is read */

/* X(kind, name, irq, sync): each has two tables, where an IRQ and a hypercall take the light frame
 * (vectors_<name>) or the full one (vectors_full_<name>). Their handlers are trap_irq<irq>,
 * trap_hvc<sync> and trap_sync<sync>; probes have a handler of an IRQ apart (exits.inc). */
#define VECTOR_KINDS(X)                                                                            \
	X(VECTORS_DELAYED, delayed, , )                                                            \
	X(VECTORS_COUNTED, counted, _counted, )                                                    \
	X(VECTORS_TRACED, traced, _traced, _traced)                                                \
	X(VECTORS_PROBED, probed, , )                                                              \
	X(VECTORS_ALL_LRS, all_lrs, _all_lrs, _all_lrs)

/* In struct vcpu (hyp/vcpu/vcpu.h): what instrumented vectors read and write there. */
#define VCPU_EXIT_START TRAP_FRAME_SIZE
#define VCPU_EXIT_DELAY (TRAP_FRAME_SIZE + 8)

#ifndef __ASSEMBLER__
#include "arch/types.h"

extern const char vectors[], vectors_full[];
#define X(kind, name, ...) extern const char vectors_##name[], vectors_full_##name[];
VECTOR_KINDS(X)
#undef X

#endif
