/* SPDX-License-Identifier: Apache-2.0 */
/* lib/bits.h */

#include "lib/bits.h"
#include "tests/unit/unit.h"

TEST(bits_of_a_set_are_apart)
{
	uint32_t words[4] = { 0 };

	for (unsigned n = 0; n < 128; n++) {
		assert_false(bit_test(words, n));
		bit_set(words, n);
		assert_true(bit_test(words, n));
		assert_int_equal(words[n / 32], 1u << n % 32);
		bit_clear(words, n);
		assert_int_equal(words[n / 32], 0);
	}
}

TEST(lowest_bit)
{
	for (unsigned n = 0; n < 32; n++)
		assert_int_equal(bit_lowest(BIT(n) | BIT(31)), n);
}

TEST(alignment)
{
	assert_int_equal(align_down(0x1fff, 0x1000), 0x1000);
	assert_int_equal(align_up(0x1001, 0x1000), 0x2000);
	assert_int_equal(align_up(0x1000, 0x1000), 0x1000);
	assert_int_equal(align_up(0, 8), 0);
	assert_int_equal(align_up(BIT64(40) + 1, BIT64(30)), BIT64(40) + BIT64(30));
}
