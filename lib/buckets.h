/* SPDX-License-Identifier: Apache-2.0 */
/* The buckets of a log-linear histogram. Each value below 512 has a bucket of its own. Larger
 * values up to 2^32 - 1 have 256 buckets for each power of two (a relative width of at most
 * 1/256). */
#pragma once

#include "lib/text.h"

#define HISTOGRAM_BUCKETS 6400u /* 512, and 256 for each power of two from 2^9 to 2^31 */
#define HISTOGRAM_EXACT 512u    /* a value below this limit is the number of its bucket */

static inline uint32_t histogram_bucket(uint32_t value)
{
	/* The shift is 0 for every value below 512. */
	uint32_t shift = 23u - (uint32_t)__builtin_clz(value | 256);

	return shift * 256 + (value >> shift);
}

/* Return the smallest value that a bucket counts. */
uint32_t histogram_lower_edge(uint32_t bucket);

/* The size of the longest text: `[4294959104,4294967295],` for each bucket, and brackets around. */
#define HISTOGRAM_JSON_SIZE (HISTOGRAM_BUCKETS * 24u + 3u) /* bytes, with the NUL */

/* Append the non-empty buckets of HISTOGRAM_BUCKETS counts as a JSON list in ascending order:
 * [[lower edge,count],…]. */
void histogram_json(const uint32_t *count, struct text *text);
