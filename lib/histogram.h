/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram with exact statistics. `overflow` counts the values that have no bucket. Buckets and
 * `overflow` always add up to stats.n. */
#pragma once

#include "lib/buckets.h"
#include "lib/stats.h"

struct histogram {
	struct stats stats; /* exact values, computed from the samples and not from buckets */
	uint32_t overflow;
	uint32_t count[HISTOGRAM_BUCKETS];
};

void histogram_init(struct histogram *histogram);

/* Return the largest value that a bucket counts. */
uint32_t histogram_upper_edge(uint32_t bucket);

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	stats_add(&histogram->stats, value);
	if (value >> 32)
		histogram->overflow++;
	else
		histogram->count[histogram_bucket((uint32_t)value)]++;
}
