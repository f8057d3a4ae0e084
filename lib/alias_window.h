/* SPDX-License-Identifier: Apache-2.0 */
/* The window for an alias of RAM: one of the four GiB of a 32-bit address space. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ALIAS_WINDOW_SIZE 0x40000000ull /* bytes: the range of one entry of level 1 */

/* Addresses that are in use; size 0: none. */
struct alias_range {
	uint64_t start;
	uint64_t size;
};

/* The highest GiB below 4 GiB that touches none of the ranges, so that the null pointer stays
 * unmapped where possible. False where each of the four is in use. */
bool alias_window_choose(const struct alias_range *used, unsigned count, uint64_t *base);

/*
 * Why a window whose start leads to the start of `ram` cannot map it up to `end` with leaves of
 * `leaf_size` bytes alone, or NULL: the leaves have to lie in RAM and in the window.
 */
const char *alias_window_refuses(const struct alias_range *ram, uint64_t end, uint64_t leaf_size);
