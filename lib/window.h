/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the four GiB of a 32-bit address space is free for a mapping of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WINDOW_SIZE 0x40000000ull /* bytes: what one entry of level 1 maps */

/* Addresses that are in use; size 0: none. */
struct window_range {
	uint64_t start;
	uint64_t size;
};

/* The highest GiB below 4 GiB that touches none of the ranges: the null pointer shall stay unmapped
 * if it can. False where each of the four is in use. */
bool window_choose(const struct window_range *used, unsigned count, uint64_t *base);
