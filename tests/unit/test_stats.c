/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: guest/measure/deviation.c */
#include <math.h>

#include "guest/measure/deviation.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/unit.h"

#define LARGEST (BIT64(48) - 1)

static struct stats stats_of(const uint64_t *values, uint32_t n)
{
	struct stats stats;

	stats_init(&stats);
	for (uint32_t i = 0; i < n; i++)
		stats_add(&stats, values[i]);
	return stats;
}

/* Return the deviation in thousandths by the definition, as a second way to the same number. */
static long double stddev_milli(const uint64_t *values, uint32_t n)
{
	long double mean = 0, square = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += (long double)values[i] / n;
	for (uint32_t i = 0; i < n; i++)
		square += (values[i] - mean) * (values[i] - mean) / n;
	return 1000 * sqrtl(square);
}

static void assert_stats(const uint64_t *values, uint32_t n, uint64_t mean, uint64_t stddev)
{
	struct stats stats = stats_of(values, n);

	assert_false(stats.out_of_range);
	assert_int_equal(stats.n, n);
	assert_int_equal(stats_mean_milli(&stats), mean);
	assert_int_equal(stats_stddev_milli(&stats), stddev);
}

TEST(no_samples_give_zeros)
{
	assert_stats(NULL, 0, 0, 0);
}

TEST(results_are_rounded_to_the_nearest_and_halves_upwards)
{
	uint64_t values[2000] = { 0 };

	values[0] = 1; /* mean 0.0005, deviation sqrt(1999)/2000 = 0.02235… */
	assert_stats(values, 2000, 1, 22);
	/* means 1/3 and 2/3, deviation sqrt(2)/3 = 0.471404… */
	assert_stats(values, 3, 333, 471);
	values[1] = 1;
	assert_stats(values, 3, 667, 471);
	assert_stats(values, 7, 286, 452); /* 0.285714…, sqrt(10)/7 = 0.451753… */
}

TEST(the_widest_spread_is_exact)
{
	const uint64_t values[] = { 0, LARGEST }, words[] = { 0, UINT32_MAX };

	assert_stats(values, 2, LARGEST * 500, LARGEST * 500);
	assert_stats(words, 2, UINT32_MAX * 500ull, UINT32_MAX * 500ull);
}

/* The values are large and their spread is small: a double would have lost the deviation. */
TEST(a_small_spread_of_large_values_is_exact)
{
	uint64_t values[1000];

	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = BIT64(47) + i % 2 * 2;
	assert_stats(values, ARRAY_SIZE(values), (BIT64(47) + 1) * 1000, 1000);
}

TEST(random_samples_agree_with_the_definition)
{
	static uint64_t values[1000];
	struct random random;

	random_init(&random, 7, 0);
	for (unsigned round = 0; round < 200; round++) {
		uint32_t n = 1 + random_below(&random, ARRAY_SIZE(values));
		unsigned bits = random_below(&random, 40);
		struct stats stats;

		for (uint32_t i = 0; i < n; i++)
			values[i] = ((uint64_t)random_next(&random) << 16) >> (47 - bits);
		stats = stats_of(values, n);
		assert_true(fabsl((long double)stats_stddev_milli(&stats) -
				  stddev_milli(values, n)) < 0.51L);
	}
}

TEST(minimum_and_maximum_are_kept)
{
	const uint64_t values[] = { 7, 3, BIT64(40), 5 };
	struct stats stats = stats_of(values, 4);

	assert_int_equal(stats.min, 3);
	assert_int_equal(stats.max, BIT64(40));
	assert_int_equal(stats.sum, BIT64(40) + 15);
}

TEST(a_counter_that_ran_backwards_is_noticed)
{
	const uint64_t backwards[] = { 100, (uint64_t)-3 };
	const uint64_t too_large[] = { LARGEST + 1 };
	struct stats stats = stats_of(backwards, 1);

	assert_false(stats.out_of_range);
	stats = stats_of(backwards, 2);
	assert_true(stats.out_of_range);
	stats = stats_of(too_large, 1);
	assert_true(stats.out_of_range);
}

TEST(a_sum_that_does_not_fit_is_noticed)
{
	struct stats stats;

	stats_init(&stats);
	for (unsigned i = 0; i < BIT(16); i++)
		stats_add(&stats, LARGEST);
	assert_false(stats.out_of_range);
	stats_add(&stats, LARGEST);
	assert_true(stats.out_of_range);
}
