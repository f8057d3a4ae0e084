/* SPDX-License-Identifier: Apache-2.0 */

#include "lib/median.h"
#include "tests/unit/unit.h"

TEST(a_median_is_the_middle_value)
{
	uint64_t one[] = { 7 };
	uint64_t odd[] = { 5, 1, UINT64_MAX, 3, 4 };
	uint64_t even[] = { 4, 1, 3, 2 };

	assert_int_equal(median(one, 1), 7);
	assert_int_equal(median(odd, 5), 4);
	assert_int_equal(median(even, 4), 3);
}

TEST(values_are_sorted)
{
	uint64_t value[] = { 9, 2, 2, 8, 1 };
	const uint64_t sorted[] = { 1, 2, 2, 8, 9 };

	median(value, 5);
	assert_memory_equal(value, sorted, sizeof(sorted));
}

TEST(one_disturbance_does_not_move_it)
{
	uint64_t low[] = { 100, 100, 100, 0, 100 };
	uint64_t high[] = { 100, 100, 5000, 100, 100 };

	assert_int_equal(median(low, 5), 100);
	assert_int_equal(median(high, 5), 100);
}
