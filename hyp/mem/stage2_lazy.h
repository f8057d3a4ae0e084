/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM that stage 2 maps at its first touch (fill=lazy), a leaf of the configured grain at a
 * time, and the cost of these faults. */
#pragma once

#include "hyp/mem/guest_ram.h"
#include "hyp/mem/stage2.h"

struct stage2_lazy {
	struct stage2 *stage2; /* NULL: nothing is mapped at its first touch */
	const struct guest_ram *ram;
	ipa_t base; /* of it */
	ipa_t end;  /* first address beyond it; without stage2: base */
	pa_t to_pa; /* added to an IPA, modulo 2^64, gives the PA; with colours no page's address */
	/* the counters below saturate */
	uint32_t build_ticks; /* stage 2, before the guest started */
	uint32_t faults;      /* faults that mapped a leaf, since then */
	uint32_t ticks;       /* of all faults, from the handler to the mapping */
	uint32_t ticks_min;   /* the shortest fault; 0 without faults */
	uint32_t ticks_max;
};

/* Resets all fields. stage2: NULL for fill=eager and without stage 2. */
void stage2_lazy_begin(struct stage2_lazy *lazy, struct stage2 *stage2, const struct guest_ram *ram,
		       uint64_t build_ticks);

/*
 * After a translation fault at `ipa`, which HPFAR_EL2 has: maps the leaf that holds `ipa`. Returns
 * false outside guest RAM, with an eager stage 2, where `ipa` is mapped already, or without a page
 * for a table.
 */
bool stage2_lazy_fault(struct stage2_lazy *lazy, ipa_t ipa);

/* Unmaps the leaf that holds `ipa`; the next touch faults. Returns false, with nothing done, where
 * stage2_lazy_fault() could not map it again, or where it is not mapped. */
bool stage2_lazy_unmap(struct stage2_lazy *lazy, ipa_t ipa);
