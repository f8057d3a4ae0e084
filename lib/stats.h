/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Count, minimum, maximum, mean and squares of samples, in exact integers: only the results are
 * rounded. guest/measure/deviation.h has the standard deviation.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stats {
	uint32_t n;
	/* a sample reached 2^48 or the sum 2^64: mean and deviation are invalid */
	bool out_of_range;
	uint64_t min; /* UINT64_MAX while n is 0 */
	uint64_t max;
	uint64_t sum;
	uint64_t squares_low;  /* sum of the squares, bits 63:0 */
	uint64_t squares_high; /* sum of the squares, bits 127:64 */
};

void stats_init(struct stats *stats);

/* Add the square of a value below 2^48. */
void stats_add_square(struct stats *stats, uint64_t value);

static inline void stats_add(struct stats *stats, uint64_t value)
{
	stats->n++;
	if (value < stats->min)
		stats->min = value;
	if (value > stats->max)
		stats->max = value;
	stats->out_of_range |= value >> 48 != 0;
	stats->out_of_range |= __builtin_add_overflow(stats->sum, value, &stats->sum);
	if (value >> 32) {
		stats_add_square(stats, value);
	} else {
		uint64_t square = (uint64_t)(uint32_t)value * (uint32_t)value;

		stats->squares_low += square;
		stats->squares_high += stats->squares_low < square;
	}
}

/* Return the mean in thousandths, rounded to nearest, halves up; 0 without samples. */
uint64_t stats_mean_milli(const struct stats *stats);
