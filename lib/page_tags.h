/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check that a translation leads to the right memory. Every page gets a tag of its own, written
 * through the translation. The tag is then read back through the translation, and by the physical
 * address that the translation should have.
 */
#pragma once

#include <stdint.h>

/* A range of `pages` pages of 4 KiB, at most 2^20, at the virtual address `base` and the physical
 * address `physical`. Another `salt` (below 4096) gives every page another tag, so that a run does
 * not find the tags of an earlier run. */
struct page_tags {
	uintptr_t base;
	uint64_t physical;
	uint32_t pages;
	uint32_t salt;
};

/* Write the tags from the first page to the last. */
void page_tags_write(const struct page_tags *tags);

/* Return the number of pages with a wrong tag, read from the last page to the first. */
uint32_t page_tags_wrong(const struct page_tags *tags);

/* Return the number of pages with a wrong tag, read by physical address. */
uint32_t page_tags_wrong_at(const struct page_tags *tags, uint32_t (*peek)(uint64_t physical));
