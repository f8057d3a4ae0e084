/* SPDX-License-Identifier: Apache-2.0 */
/* The vector tables of hyp/arch/<isa>/vectors.S: one for each way to account for exits, so that
 * what is off costs nothing. full: every exit saves every register; instrumented: statistics and
 * trace; delayed: delay_el2. */
#pragma once

#include "arch/types.h"

extern const char vectors[], vectors_full[];
extern const char vectors_instrumented[], vectors_full_instrumented[];
extern const char vectors_delayed[], vectors_full_delayed[];
extern const char vectors_instrumented_delayed[], vectors_full_instrumented_delayed[];

/* What delay_el2 leaves to spin, in instructions, after the two that load it. */
extern reg_t vector_delay;
