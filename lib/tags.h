/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is memory where its translation should lead? Every page gets a word of its own, written through
 * the translation, which is then looked for through the translation and, around it, at the address
 * that it should have led to.
 */
#pragma once

#include <stdint.h>

/* `pages` pages of 4 KiB, at the virtual address `base` and at the physical one `physical`. Another
 * `salt` (below 4096) gives every page another word, so that a run does not find the words of the
 * one before it; up to 2^20 pages. */
struct tags {
	uintptr_t base;
	uint64_t physical;
	uint32_t pages;
	uint32_t salt;
};

/* First page to last. */
void tags_write(const struct tags *tags);

/* Pages whose word is not theirs, looked at from the last to the first. */
uint32_t tags_wrong(const struct tags *tags);

/* The same, looked at by their physical addresses. */
uint32_t tags_wrong_at(const struct tags *tags, uint32_t (*peek)(uint64_t physical));
