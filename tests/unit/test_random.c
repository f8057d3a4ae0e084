/* SPDX-License-Identifier: Apache-2.0 */

#include "lib/random.h"
#include "tests/unit/unit.h"

#define COUNT 1000u

TEST(the_sequence_is_the_published_one)
{
	/* The first six numbers of the generator's own demonstration program: seed 42, stream 54 */
	const uint32_t expected[] = { 0xa15c02b7, 0x7b47f409, 0xba1d3330,
				      0x83d2f293, 0xbfa4784b, 0xcbed606e };
	struct random random;

	random_init(&random, 42, 54);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(random_next(&random), expected[i]);
}

TEST(seeds_and_streams_differ)
{
	struct random a, b, c;
	unsigned same = 0;

	random_init(&a, 1, 0);
	random_init(&b, 2, 0);
	random_init(&c, 1, 1);
	for (unsigned i = 0; i < COUNT; i++) {
		uint32_t value = random_next(&a);

		same += value == random_next(&b);
		same += value == random_next(&c);
	}
	assert_int_equal(same, 0);
}

TEST(draws_stay_below_their_bound)
{
	const uint32_t bounds[] = { 1, 2, 3, 7, 1000, 0x80000001, UINT32_MAX };
	struct random random;

	random_init(&random, 1, 0);
	for (unsigned b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
		for (unsigned i = 0; i < COUNT; i++)
			assert_true(random_below(&random, bounds[b]) < bounds[b]);
}

/* Chi-square over 10 values; 9 degrees of freedom exceed 27.9 once in a thousand seeds. */
TEST(draws_are_even)
{
	unsigned counts[10] = { 0 };
	struct random random;
	double chi_square = 0;

	random_init(&random, 3, 0);
	for (unsigned i = 0; i < 100000; i++)
		counts[random_below(&random, 10)]++;
	for (unsigned i = 0; i < 10; i++)
		chi_square += (counts[i] - 1e4) * (counts[i] - 1e4) / 1e4;
	assert_true(chi_square < 27.9);
}

/* Four of 2^32 numbers fall on three values here: without rejection a modulo prefers the lower
 * third of the values, a multiplication every third one. */
TEST(draws_are_even_where_the_bound_does_not_divide)
{
	const uint32_t bound = 0xc0000000u;
	unsigned thirds[3] = { 0 }, residues[3] = { 0 };
	struct random random;

	random_init(&random, 4, 0);
	for (unsigned i = 0; i < 30000; i++) {
		uint32_t value = random_below(&random, bound);

		thirds[value / (bound / 3)]++;
		residues[value % 3]++;
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_in_range(thirds[i], 9700, 10300);
		assert_in_range(residues[i], 9700, 10300);
	}
}

static bool is_permutation(const uint32_t *items, uint32_t count)
{
	bool seen[COUNT] = { false };

	for (uint32_t i = 0; i < count; i++) {
		if (items[i] >= count || seen[items[i]])
			return false;
		seen[items[i]] = true;
	}
	return true;
}

static void fill(uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		items[i] = i;
}

TEST(a_shuffle_is_a_permutation)
{
	uint32_t items[COUNT];
	struct random random;

	random_init(&random, 1, 0);
	for (uint32_t count = 0; count <= COUNT; count += count < 10 ? 1 : 90) {
		fill(items, count);
		random_shuffle(&random, items, count);
		assert_true(is_permutation(items, count));
	}
}

TEST(what_is_no_permutation_is_seen)
{
	uint32_t items[COUNT];

	fill(items, COUNT);
	items[3] = items[4];
	assert_false(is_permutation(items, COUNT));
	items[3] = COUNT;
	assert_false(is_permutation(items, COUNT));
}

TEST(the_same_seed_gives_the_same_order)
{
	uint32_t first[COUNT], second[COUNT];
	struct random random;

	fill(first, COUNT);
	fill(second, COUNT);
	random_init(&random, 9, 0);
	random_shuffle(&random, first, COUNT);
	random_init(&random, 9, 0);
	random_shuffle(&random, second, COUNT);
	assert_memory_equal(first, second, sizeof(first));
}

TEST(every_order_is_as_likely)
{
	unsigned counts[27] = { 0 };
	struct random random;

	random_init(&random, 5, 0);
	for (unsigned i = 0; i < 60000; i++) {
		uint32_t items[3] = { 0, 1, 2 };

		random_shuffle(&random, items, 3);
		counts[items[0] * 9 + items[1] * 3 + items[2]]++;
	}
	for (unsigned i = 0; i < 27; i++)
		assert_true(counts[i] == 0 || (counts[i] > 9600 && counts[i] < 10400));
}
