/* SPDX-License-Identifier: Apache-2.0 */

#include "lib/random.h"
#include "tests/unit/unit.h"

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

/* Here four of the 2^32 numbers fall on three values. Without rejection a modulo would prefer the
 * lower third of the values, and a multiplication every third value. */
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
