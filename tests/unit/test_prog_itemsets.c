/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fake/fake_program.h"
#include "guest/programs/itemsets.c"
#include "tests/unit/unit.h"

#define SMALL_ITEMS 10u /* few enough to try every set of them */

static uint32_t support_of(uint32_t items)
{
	uint32_t support = 0;

	for (uint32_t i = 0; i < transaction_count; i++)
		support += (transactions[i] & items) == items;
	return support;
}

static const struct itemset *find_set(uint32_t items)
{
	for (uint32_t i = 0; i < found_count; i++)
		if (found[i].items == items)
			return &found[i];
	return NULL;
}

/* The program's transactions, of the first items only. */
static void run_small(uint32_t seed)
{
	itemsets_prepare(seed);
	for (uint32_t i = 0; i < transaction_count; i++)
		transactions[i] &= (1u << SMALL_ITEMS) - 1;
	itemsets_run();
}

TEST(finds_what_trying_every_set_finds)
{
	for (uint32_t seed = 1; seed <= 5; seed++) {
		uint32_t frequent = 0;

		run_small(seed);
		for (uint32_t items = 1; items < 1u << SMALL_ITEMS; items++) {
			const struct itemset *set = find_set(items);

			if (support_of(items) < SUPPORT_MIN) {
				assert_null(set);
				continue;
			}
			frequent++;
			assert_non_null(set);
			assert_int_equal(set->support, support_of(items));
		}
		assert_int_equal(frequent, found_count);
		assert_true(frequent > SMALL_ITEMS);
	}
}

TEST(every_set_found_is_frequent)
{
	fake_program_run(&prog_itemsets, 1);
	assert_in_range(found_count, 100, ITEMSET_MAX - 1);
	for (uint32_t i = 0; i < found_count; i++) {
		assert_int_equal(found[i].support, support_of(found[i].items));
		assert_true(found[i].support >= SUPPORT_MIN);
	}
}

TEST(no_set_is_found_twice)
{
	fake_program_run(&prog_itemsets, 1);
	for (uint32_t i = 0; i < found_count; i++)
		assert_ptr_equal(find_set(found[i].items), &found[i]);
}

TEST(repeats)
{
	assert_program_repeats(&prog_itemsets);
}
