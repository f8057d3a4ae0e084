/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log-linear histogram. A value below 512 has a bucket of its own; larger values up to 2^32 - 1
 * have 256 buckets to a power of two (a relative width of at most 1/256); `overflow` counts the
 * rest. Buckets and `overflow` always add up to stats.n.
 */
#pragma once

#include "lib/stats.h"
#include "lib/text.h"

#define HISTOGRAM_BUCKETS 6400u /* 512, and 256 for each of 2^9 … 2^31 */
#define HISTOGRAM_EXACT 512u    /* a value below this limit is the number of its bucket */

struct histogram {
	struct stats stats; /* of the values themselves, not of their buckets */
	uint32_t overflow;
	uint32_t count[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);

static inline uint32_t histogram_bucket(uint32_t value)
{
	/* 0 for every value below 512 */
	uint32_t shift = 23u - (uint32_t)__builtin_clz(value | 256);

	return shift * 256 + (value >> shift);
}

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	stats_add(&histogram->stats, value);
	if (value >> 32)
		histogram->overflow++;
	else
		histogram->count[histogram_bucket((uint32_t)value)]++;
}

/* The smallest and the largest value that a bucket counts. */
uint32_t histogram_lower_edge(uint32_t bucket);
uint32_t histogram_upper_edge(uint32_t bucket);

/* The longest text: `[4294959104,4294967295],` for each bucket, and the brackets around. */
#define HISTOGRAM_JSON_SIZE (HISTOGRAM_BUCKETS * 24u + 3u) /* bytes, with the NUL */

/* Append the buckets in use, of HISTOGRAM_BUCKETS counts, as a JSON list: [[lower edge,count],…],
 * ascending. */
void histogram_json(const uint32_t *count, struct text *text);
