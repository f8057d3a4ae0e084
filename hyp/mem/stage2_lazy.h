/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM that stage 2 maps at its first touch (fill=lazy), a leaf of the configured grain at a
 * time, and what that costs. Always accounted for: such a fault is rare and slow. */
#pragma once

#include "hyp/mem/stage2.h"

struct stage2_lazy {
	struct stage2 *stage2; /* NULL: nothing is mapped at its first touch */
	ipa_t base;            /* guest RAM */
	ipa_t end;             /* just behind it; without stage2: base */
	pa_t to_pa;            /* added to an IPA of it, modulo 2^64: where it is in the machine */
	/* these stop at the largest 32-bit value */
	uint32_t build_ticks; /* stage 2, before the guest started */
	uint32_t faults;      /* that mapped something, since then */
	uint32_t ticks;       /* all of them, from the handler to the mapping that is in effect */
	uint32_t ticks_min;   /* the cheapest; 0 without faults */
	uint32_t ticks_max;
};

/* Begins anew. stage2: NULL for fill=eager and without stage 2. */
void stage2_lazy_begin(struct stage2_lazy *lazy, struct stage2 *stage2, ipa_t base, uint64_t size,
		       uint64_t build_ticks);

/*
 * After a translation fault at `ipa`: maps the leaf that holds it. False where that would not help:
 * outside of guest RAM, with an eager stage 2, where it is mapped (the fault stayed, and would for
 * ever), or without a page for a table.
 */
bool stage2_lazy_fault(struct stage2_lazy *lazy, ipa_t ipa);

/* Unmaps the leaf that holds `ipa`; the next touch faults. False, with nothing done, where
 * stage2_lazy_fault() could not bring it back, or where it is not mapped. */
bool stage2_lazy_unmap(struct stage2_lazy *lazy, ipa_t ipa);
