/* SPDX-License-Identifier: Apache-2.0 */
/* The buckets of a log-linear histogram: each value below 512 has its own; larger values up to
 * 2^32 - 1 have 256 to a power of two (a relative width of at most 1/256). */
#pragma once

#include "lib/text.h"

#define HISTOGRAM_BUCKETS 6400u /* 512, and 256 for each of 2^9 … 2^31 */
#define HISTOGRAM_EXACT 512u    /* a value below this limit is the number of its bucket */

static inline uint32_t histogram_bucket(uint32_t value)
{
	/* 0 for every value below 512 */
	uint32_t shift = 23u - (uint32_t)__builtin_clz(value | 256);

	return shift * 256 + (value >> shift);
}

/* The smallest value that a bucket counts. */
uint32_t histogram_lower_edge(uint32_t bucket);

/* The longest text: `[4294959104,4294967295],` for each bucket, and the brackets around. */
#define HISTOGRAM_JSON_SIZE (HISTOGRAM_BUCKETS * 24u + 3u) /* bytes, with the NUL */

/* Append the buckets in use, of HISTOGRAM_BUCKETS counts, as a JSON list: [[lower edge,count],…],
 * ascending. */
void histogram_json(const uint32_t *count, struct text *text);
