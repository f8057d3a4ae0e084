/* SPDX-License-Identifier: Apache-2.0 */
/* The window for an alias of RAM: one of the four GiB of a 32-bit address space. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ALIAS_WINDOW_SIZE 0x40000000ull /* bytes: the range of one entry of level 1 */

/* An address range in use; size 0 means none. */
struct alias_range {
	uint64_t start;
	uint64_t size;
};

/* Choose the highest GiB below 4 GiB that touches none of the ranges, so that the null pointer
 * stays unmapped if possible. Return false if all four GiB are in use. */
bool alias_window_choose(const struct alias_range *used, unsigned count, uint64_t *base);

/*
 * Return why a window that maps the start of `ram` at its start cannot map `ram` up to `end` with
 * leaves of `leaf_size` bytes only, or NULL if it can. The leaves must lie in RAM and in the
 * window.
 */
const char *alias_window_refuses(const struct alias_range *ram, uint64_t end, uint64_t leaf_size);
