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
