/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/mem/guest_ram.h"

#include <string.h>

#include "arch/cache.h"
#include "lib/pagetable.h"

pa_t ram_pa(const struct guest_ram *ram, ipa_t ipa)
{
	uint64_t offset = ipa - ram->base;
	uint32_t page = (uint32_t)(offset / PAGE_SIZE);

	if (ram->colours == 0)
		return ram->pa + offset;
	page = page / ram->colours * PLAN_COLOURS + ram->colour[page % ram->colours];
	return ram->pa + (uint64_t)page * PAGE_SIZE + offset % PAGE_SIZE;
}

bool ram_next(const struct guest_ram *ram, struct ram_span *span)
{
	pa_t start;

	span->ipa += span->size;
	span->left -= span->size;
	start = ram_pa(ram, span->ipa);
	span->at = (uint8_t *)(uintptr_t)start;
	span->size = ram->colours ? PAGE_SIZE - (size_t)(start % PAGE_SIZE) : span->left;
	/* bound: (ARGUMENT_2 + PAGE_SIZE) / PAGE_SIZE: of a range of so many bytes */
	while (span->size < span->left && ram_pa(ram, span->ipa + span->size) == start + span->size)
		span->size += PAGE_SIZE;
	if (span->size > span->left)
		span->size = span->left;
	return span->left != 0;
}

void ram_write(const struct guest_ram *ram, ipa_t ipa, const void *bytes, size_t size)
{
	struct ram_span span = { .ipa = ipa, .left = size };

	/* bound: 2: a piece is less than a page; sum: VM_PIECE_BYTES; argument: VM_PIECE_BYTES */
	for (const uint8_t *at = bytes; ram_next(ram, &span); at += span.size)
		/* argument: VM_PIECE_BYTES */
		memcpy(span.at, at, span.size);
}

void ram_clean(const struct guest_ram *ram, ipa_t ipa, size_t size)
{
	struct ram_span span = { .ipa = ipa, .left = size };

	/* bound: 2: a piece is less than a page; sum: VM_PIECE_BYTES; argument: VM_PIECE_BYTES */
	while (ram_next(ram, &span))
		/* argument: VM_PIECE_BYTES */
		dcache_clean_invalidate((uintptr_t)span.at, span.size);
}

void *ram_at(const struct guest_ram *ram, ipa_t ipa, size_t size)
{
	struct ram_span span = { .ipa = ipa, .left = size };

	if (!ram_holds(ram, ipa, size))
		return NULL;
	ram_next(ram, &span); /* argument: ARGUMENT_2 */
	return span.size == size ? span.at : NULL;
}
