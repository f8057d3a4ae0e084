/* SPDX-License-Identifier: Apache-2.0 */
/* lib/bits.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/bits.h"

static void bits_of_a_set_are_apart(void **state)
{
	uint32_t words[4] = { 0 };

	(void)state;
	for (unsigned n = 0; n < 128; n++) {
		assert_false(bit_test(words, n));
		bit_set(words, n);
		assert_true(bit_test(words, n));
		assert_int_equal(words[n / 32], 1u << n % 32);
		bit_clear(words, n);
		assert_int_equal(words[n / 32], 0);
	}
}

static void lowest_bit(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 32; n++)
		assert_int_equal(bit_lowest(BIT(n) | BIT(31)), n);
}

static void alignment(void **state)
{
	(void)state;
	assert_int_equal(align_down(0x1fff, 0x1000), 0x1000);
	assert_int_equal(align_up(0x1001, 0x1000), 0x2000);
	assert_int_equal(align_up(0x1000, 0x1000), 0x1000);
	assert_int_equal(align_up(0, 8), 0);
	assert_int_equal(align_up(BIT64(40) + 1, BIT64(30)), BIT64(40) + BIT64(30));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_of_a_set_are_apart),
		cmocka_unit_test(lowest_bit),
		cmocka_unit_test(alignment),
	};

	return cmocka_run_group_tests_name("bits", tests, NULL, NULL);
}
