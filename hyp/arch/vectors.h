/* SPDX-License-Identifier: Apache-2.0 */
/* The vector tables of hyp/arch/<isa>/vectors.S: one for each way to account for exits, so that
 * what is off costs nothing. full: every exit saves every register; counted: exit statistics;
 * traced: these and the trace; probed: the stamps of abi/probe.h; all_lrs: every list
 * register is read; delayed: delay_el2. */
#pragma once

#include "arch/types.h"

extern const char vectors[], vectors_full[];
extern const char vectors_counted[], vectors_full_counted[];
extern const char vectors_traced[], vectors_full_traced[];
extern const char vectors_probed[], vectors_full_probed[];
extern const char vectors_all_lrs[], vectors_full_all_lrs[];
extern const char vectors_delayed[], vectors_full_delayed[];
extern const char vectors_counted_delayed[], vectors_full_counted_delayed[];
extern const char vectors_traced_delayed[], vectors_full_traced_delayed[];
extern const char vectors_probed_delayed[], vectors_full_probed_delayed[];
extern const char vectors_all_lrs_delayed[], vectors_full_all_lrs_delayed[];

/* What delay_el2 leaves to spin, in instructions, after the two that load it. */
extern reg_t vector_delay;
