/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/histogram.h"

#include <string.h>

void histogram_init(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
	stats_init(&histogram->stats);
}

/* log2 of a bucket's width: the right shift of its values. */
static uint32_t bucket_shift(uint32_t bucket)
{
	return bucket < 512 ? 0 : bucket / 256 - 1;
}

uint32_t histogram_lower_edge(uint32_t bucket)
{
	uint32_t shift = bucket_shift(bucket);

	return (bucket - shift * 256) << shift;
}

uint32_t histogram_upper_edge(uint32_t bucket)
{
	return histogram_lower_edge(bucket) + ((1u << bucket_shift(bucket)) - 1);
}

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

void histogram_json(const uint32_t *count, struct text *text)
{
	const char *separator = "[";

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (count[i] == 0)
			continue;
		text_string(text, separator);
		text_char(text, '[');
		text_u64(text, histogram_lower_edge(i));
		text_char(text, ',');
		text_u64(text, count[i]);
		text_char(text, ']');
		separator = ",";
	}
	text_string(text, *separator == '[' ? "[]" : "]");
}
