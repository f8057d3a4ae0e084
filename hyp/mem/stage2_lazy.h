/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM that stage 2 maps at the first access (fill=lazy), one leaf of the configured grain at
 * a time, and the cost of these faults. */
#pragma once

#include "hyp/mem/guest_ram.h"
#include "hyp/mem/stage2.h"

struct stage2_lazy {
	struct stage2 *stage2; /* NULL if no access maps RAM */
	const struct guest_ram *ram;
	ipa_t base; /* start of the RAM */
	ipa_t end;  /* end of the RAM; equals `base` without stage2 */
	pa_t to_pa; /* PA minus IPA, modulo 2^64; with colours no page has this distance */
	/* The counters below saturate. */
	uint32_t build_ticks; /* time to build stage 2 before the guest started */
	uint32_t faults;      /* faults that mapped a leaf since the guest started */
	uint32_t ticks;       /* time of all these faults, from the handler to the mapping */
	uint32_t ticks_min;   /* the shortest fault; 0 without faults */
	uint32_t ticks_max;
};

/* Reset all fields. `stage2` is NULL for fill=eager and without stage 2. */
void stage2_lazy_begin(struct stage2_lazy *lazy, struct stage2 *stage2, const struct guest_ram *ram,
		       uint64_t build_ticks);

/*
 * Handle a translation fault at `ipa`, which HPFAR_EL2 has: map the leaf around `ipa`. Return false
 * outside guest RAM, with an eager stage 2, if `ipa` is mapped already, or if no page is free for a
 * table.
 */
bool stage2_lazy_fault(struct stage2_lazy *lazy, ipa_t ipa);

/* Unmap the leaf around `ipa`, so that the next access faults. Return false, with nothing done, if
 * the leaf is not mapped or stage2_lazy_fault() could not map it again. */
bool stage2_lazy_unmap(struct stage2_lazy *lazy, ipa_t ipa);
