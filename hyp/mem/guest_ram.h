/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical place of a VM's RAM: a window of memory, or, for a coloured VM, the window's pages
 * of the VM's colours (docs/neighbours.md). EL2 accesses guest RAM through these functions:
 * adjacent pages of a coloured VM are not adjacent in memory.
 */
#pragma once

#include "abi/plan.h"
#include "arch/types.h"

struct guest_ram {
	ipa_t base;    /* 2 MiB aligned, as is pa */
	pa_t pa;       /* start of the window */
	uint64_t size; /* size in IPAs */
	/* equals `size` without colours, where PA is IPA plus a constant; else 0 */
	uint64_t linear;
	uint32_t colours;       /* number of colours; 0 for RAM of any colour */
	const uint32_t *colour; /* the VM's colours */
};

/* A range of RAM, walked in contiguous parts. Set `ipa` and `left` to begin. */
struct ram_span {
	ipa_t ipa;   /* start of the part */
	size_t left; /* bytes left, including this part */
	uint8_t *at;
	size_t size;
};

/* Return a description of RAM without colours. */
static inline struct guest_ram ram_plain(ipa_t base, pa_t pa, uint64_t size)
{
	return (struct guest_ram){ .base = base, .pa = pa, .size = size, .linear = size };
}

static inline bool ram_holds(const struct guest_ram *ram, ipa_t ipa, uint64_t size)
{
	uint64_t offset = ipa - ram->base;

	return offset <= ram->size && size <= ram->size - offset;
}

/* The functions below are for ranges that ram_holds(). */
pa_t ram_pa(const struct guest_ram *ram, ipa_t ipa);

/* Move to the next part of a span. Return false after the last one. */
bool ram_next(const struct guest_ram *ram, struct ram_span *span);

/* Copy bytes to RAM. */
void ram_write(const struct guest_ram *ram, ipa_t ipa, const void *bytes, size_t size);

/* Clean and invalidate the data caches for this range. */
void ram_clean(const struct guest_ram *ram, ipa_t ipa, size_t size);

/*
 * Return a pointer to a range of any address, or NULL if the range leaves RAM or is not contiguous.
 */
void *ram_at(const struct guest_ram *ram, ipa_t ipa, size_t size);
