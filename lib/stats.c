/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/stats.h"

#include "lib/mean.h"

void stats_init(struct stats *stats)
{
	*stats = (struct stats){ .min = UINT64_MAX };
}

/* Add v^2 = l^2 + 2 h l 2^32 + h^2 2^64, where v = h 2^32 + l. */
void stats_add_square(struct stats *stats, uint64_t value)
{
	uint64_t low = (uint32_t)value;
	uint64_t high = value >> 32 & 0xffff;
	uint64_t middle = 2 * high * low;
	uint64_t square = low * low;

	stats->squares_low += square;
	stats->squares_high += (stats->squares_low < square) + (middle >> 32) + high * high;
	stats->squares_low += middle << 32;
	stats->squares_high += stats->squares_low < middle << 32;
}

uint64_t stats_mean_milli(const struct stats *stats)
{
	return mean_milli(stats->sum, stats->n);
}
