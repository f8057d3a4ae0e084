/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: guest/measure/percentile.c */
/* Tests of the histogram against sorted samples: answers are exact but for a bucket's width. */
#include <stdlib.h>

#include "guest/measure/percentile.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/unit.h"

static struct histogram histogram;

static void fill(const uint64_t *values, uint32_t n)
{
	histogram_init(&histogram);
	for (uint32_t i = 0; i < n; i++)
		histogram_add(&histogram, values[i]);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Return the upper edge of a value's bucket by the definition, without arithmetic on an index: the
 * edges go up in steps of 1 to 512, then 256 steps of twice the width for each power of two. */
static uint64_t upper_edge_by_search(uint64_t value)
{
	uint64_t edge = 512, width = 1;

	if (value < 512)
		return value;
	for (width = 2; edge + 256 * width <= value; width *= 2)
		edge += 256 * width;
	while (edge + width <= value)
		edge += width;
	return edge + width - 1;
}

/* Return the nearest rank over the sorted samples, as a histogram of these buckets reports it. */
static uint64_t expected_percentile(const uint64_t *sorted, uint32_t n, uint32_t permille)
{
	uint64_t rank = ((uint64_t)n * permille + 999) / 1000;
	uint64_t value = sorted[rank ? rank - 1 : 0];
	uint64_t edge = value > UINT32_MAX ? sorted[n - 1] : upper_edge_by_search(value);

	return edge < sorted[n - 1] ? edge : sorted[n - 1];
}

static const uint32_t permilles[] = { 0, 1, 10, 250, 500, 501, 900, 950, 990, 999, 1000 };

/* Return the number of wrong percentiles. */
static unsigned wrong_percentiles(uint64_t *values, uint32_t n)
{
	unsigned wrong = 0;

	qsort(values, n, sizeof(values[0]), compare);
	for (unsigned i = 0; i < ARRAY_SIZE(permilles); i++)
		wrong += histogram_percentile(&histogram, permilles[i]) !=
			 expected_percentile(values, n, permilles[i]);
	return wrong;
}

static void assert_percentiles(uint64_t *values, uint32_t n)
{
	fill(values, n);
	assert_int_equal(wrong_percentiles(values, n), 0);
}

TEST(buckets_tile_all_of_32_bits)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint32_t lower = histogram_lower_edge(i), upper = histogram_upper_edge(i);

		assert_int_equal(lower, next);
		assert_int_equal(histogram_bucket(lower), i);
		assert_int_equal(histogram_bucket(upper), i);
		assert_int_equal(upper, upper_edge_by_search(lower));
		next = (uint64_t)upper + 1;
	}
	assert_int_equal(next, BIT64(32));
}

TEST(no_samples_answer_zero)
{
	fill(NULL, 0);
	assert_int_equal(histogram_percentile(&histogram, 500), 0);
}

TEST(larger_values_are_counted_apart_and_not_lost)
{
	uint64_t values[] = { 10, UINT32_MAX, BIT64(32), BIT64(33) };

	assert_percentiles(values, 4);
	assert_int_equal(histogram.overflow, 2);
	assert_int_equal(histogram.count[HISTOGRAM_BUCKETS - 1], 1);
	assert_int_equal(histogram_percentile(&histogram, 500), UINT32_MAX);
	assert_int_equal(histogram_percentile(&histogram, 510), BIT64(33));
	assert_int_equal(histogram.stats.n, 4);
}

TEST(random_samples_agree_with_sorting)
{
	static uint64_t values[3000];
	struct random random;

	random_init(&random, 1, 0);
	for (unsigned round = 0; round < 300; round++) {
		uint32_t n = 1 + random_below(&random, ARRAY_SIZE(values));
		unsigned shift = random_below(&random, 32);

		for (uint32_t i = 0; i < n; i++)
			values[i] = ((uint64_t)random_next(&random) << 1) >> shift;
		assert_percentiles(values, n);
	}
}
