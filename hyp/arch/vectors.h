/* SPDX-License-Identifier: Apache-2.0 */
/* The vector tables of hyp/arch/<isa>/vectors.S: one for each way to account for exits, so that
 * what is off costs nothing. */
#pragma once

/* Kinds of tables: what an exit is besides handled. */
#define VECTORS_PLAIN 0
#define VECTORS_COUNTED 1 /* exit statistics */
#define VECTORS_TRACED 2  /* the same, and the trace */
#define VECTORS_PROBED 3  /* (IRQ) stamped: abi/probe.h */
#define VECTORS_ALL_LRS 4 /* every list register is read */

/* X(name, kind, full, delayed). full: every exit takes the full frame; delayed: delay_el2, every
 * entry spins. */
#define VECTOR_TABLES(X)                                                                           \
	X(vectors, VECTORS_PLAIN, 0, 0)                                                            \
	X(vectors_delayed, VECTORS_PLAIN, 0, 1)                                                    \
	X(vectors_full, VECTORS_PLAIN, 1, 0)                                                       \
	X(vectors_full_delayed, VECTORS_PLAIN, 1, 1)                                               \
	X(vectors_counted, VECTORS_COUNTED, 0, 0)                                                  \
	X(vectors_counted_delayed, VECTORS_COUNTED, 0, 1)                                          \
	X(vectors_full_counted, VECTORS_COUNTED, 1, 0)                                             \
	X(vectors_full_counted_delayed, VECTORS_COUNTED, 1, 1)                                     \
	X(vectors_traced, VECTORS_TRACED, 0, 0)                                                    \
	X(vectors_traced_delayed, VECTORS_TRACED, 0, 1)                                            \
	X(vectors_full_traced, VECTORS_TRACED, 1, 0)                                               \
	X(vectors_full_traced_delayed, VECTORS_TRACED, 1, 1)                                       \
	X(vectors_probed, VECTORS_PROBED, 0, 0)                                                    \
	X(vectors_probed_delayed, VECTORS_PROBED, 0, 1)                                            \
	X(vectors_full_probed, VECTORS_PROBED, 1, 0)                                               \
	X(vectors_full_probed_delayed, VECTORS_PROBED, 1, 1)                                       \
	X(vectors_all_lrs, VECTORS_ALL_LRS, 0, 0)                                                  \
	X(vectors_all_lrs_delayed, VECTORS_ALL_LRS, 0, 1)                                          \
	X(vectors_full_all_lrs, VECTORS_ALL_LRS, 1, 0)                                             \
	X(vectors_full_all_lrs_delayed, VECTORS_ALL_LRS, 1, 1)

#ifndef __ASSEMBLER__
#include "arch/types.h"

#define X(name, kind, full, delayed) extern const char name[];
VECTOR_TABLES(X)
#undef X

/* What delay_el2 leaves to spin, in instructions, after the two that load it. */
extern reg_t vector_delay;
#endif
