/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a VM's RAM is: a window of physical memory, or of a coloured VM the window's pages of its
 * colours (docs/design/neighbours.md). EL2 uses guest RAM through these functions: neighbouring
 * pages of a coloured VM are no neighbours in memory.
 */
#pragma once

#include "abi/plan.h"
#include "arch/types.h"

struct guest_ram {
	ipa_t base;             /* 2 MiB aligned, and so is pa */
	pa_t pa;                /* of the window */
	uint64_t size;          /* of the IPAs */
	uint64_t linear;        /* without colours the same: PA is IPA plus a constant; else 0 */
	uint32_t colours;       /* how many; 0: any */
	const uint32_t *colour; /* each of them */
};

/* Bytes of RAM, a part that lies side by side at a time: begins with `ipa` and `left`. */
struct ram_span {
	ipa_t ipa;   /* of the part */
	size_t left; /* with the part */
	uint8_t *at;
	size_t size;
};

/* Without colours. */
static inline struct guest_ram ram_plain(ipa_t base, pa_t pa, uint64_t size)
{
	return (struct guest_ram){ .base = base, .pa = pa, .size = size, .linear = size };
}

static inline bool ram_holds(const struct guest_ram *ram, ipa_t ipa, uint64_t size)
{
	uint64_t offset = ipa - ram->base;

	return offset <= ram->size && size <= ram->size - offset;
}

/* The functions below are for bytes that ram_holds(). */
pa_t ram_pa(const struct guest_ram *ram, ipa_t ipa);

/* The next part of a span; false after the last one. */
bool ram_next(const struct guest_ram *ram, struct ram_span *span);

/* `buffer` to RAM, or else RAM to it. */
void ram_copy(const struct guest_ram *ram, ipa_t ipa, void *buffer, size_t size, bool to_ram);

/* Cleans and invalidates the data caches there. */
void ram_clean(const struct guest_ram *ram, ipa_t ipa, size_t size);

/* For any address. NULL: not wholly in RAM, or not side by side. */
void *ram_at(const struct guest_ram *ram, ipa_t ipa, size_t size);
