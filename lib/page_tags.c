/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/page_tags.h"

#define TAG_PAGE_SIZE 4096u
#define TAG_SALT_SHIFT 20
#define TAG_FACTOR 0x9e3779b1u /* an odd factor, so that no two numbers have the same product */

static uint32_t tag(const struct page_tags *tags, uint32_t page)
{
	return ((tags->salt << TAG_SALT_SHIFT | page) + 1) * TAG_FACTOR;
}

static volatile uint32_t *word(const struct page_tags *tags, uint32_t page)
{
	return (volatile uint32_t *)(tags->base + (uintptr_t)page * TAG_PAGE_SIZE);
}

void page_tags_write(const struct page_tags *tags)
{
	for (uint32_t page = 0; page < tags->pages; page++)
		*word(tags, page) = tag(tags, page);
}

uint32_t page_tags_wrong(const struct page_tags *tags)
{
	uint32_t wrong = 0;

	for (uint32_t page = tags->pages; page-- > 0;)
		wrong += *word(tags, page) != tag(tags, page);
	return wrong;
}

uint32_t page_tags_wrong_at(const struct page_tags *tags, uint32_t (*peek)(uint64_t physical))
{
	uint32_t wrong = 0;

	for (uint32_t page = 0; page < tags->pages; page++)
		wrong += peek(tags->physical + (uint64_t)page * TAG_PAGE_SIZE) != tag(tags, page);
	return wrong;
}
