/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/percentile.h"

uint64_t histogram_percentile(const struct histogram *histogram, uint32_t permille)
{
	const struct stats *stats = &histogram->stats;
	uint64_t rank = ((uint64_t)stats->n * permille + 999) / 1000;
	uint64_t below = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint32_t edge = histogram_upper_edge(i);

		below += histogram->count[i];
		if (below && below >= rank)
			return edge < stats->max ? edge : stats->max;
	}
	return stats->max; /* 0 without samples */
}
