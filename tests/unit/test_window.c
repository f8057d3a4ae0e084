/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/window.h"

#define GIB WINDOW_SIZE

static uint64_t chosen(const struct window_range *used, unsigned count)
{
	uint64_t base = 1;

	assert_true(window_choose(used, count, &base));
	return base;
}

static void the_highest_free_gib_is_chosen(void **state)
{
	const struct window_range used[] = { { 3 * GIB, GIB }, { 0, 1 } };

	(void)state;
	assert_int_equal(chosen(used, 0), 3 * GIB);
	assert_int_equal(chosen(used, 1), 2 * GIB);
	assert_int_equal(chosen(used, 2), 2 * GIB);
}

static void an_edge_touches_and_its_neighbour_does_not(void **state)
{
	const struct window_range below[] = { { 2 * GIB, GIB } };
	const struct window_range first[] = { { 2 * GIB, GIB + 1 } };
	const struct window_range last[] = { { 4 * GIB - 1, 1 } };

	(void)state;
	assert_int_equal(chosen(below, 1), 3 * GIB);
	assert_int_equal(chosen(first, 1), 1 * GIB);
	assert_int_equal(chosen(last, 1), 2 * GIB);
}

static void what_has_no_size_is_not_there(void **state)
{
	const struct window_range used[] = { { 3 * GIB, 0 } };

	(void)state;
	assert_int_equal(chosen(used, 1), 3 * GIB);
}

/* RAM in GiB 2 as on the virt boards; RAM across a GiB's edge; devices at the top of the 4 GiB. */
static void boards_find_theirs(void **state)
{
	const struct window_range virt[] = {
		{ 0x80000000, 0x40000000 },
		{ 0x08000000, 0x10000 },
		{ 0x40200000, 0x1000 },
	};
	const struct window_range shifted[] = {
		{ 0x60000000, 0x40000000 },
		{ 0xff840000, 0x10000 },
	};

	(void)state;
	assert_int_equal(chosen(virt, 3), 0xc0000000);
	assert_int_equal(chosen(shifted, 2), 0);
}

static void none_free_is_said(void **state)
{
	const struct window_range used[] = { { GIB - 1, 2 }, { 3 * GIB - 1, 2 } };
	uint64_t base;

	(void)state;
	assert_false(window_choose(used, 2, &base));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_free_gib_is_chosen),
		cmocka_unit_test(an_edge_touches_and_its_neighbour_does_not),
		cmocka_unit_test(what_has_no_size_is_not_there),
		cmocka_unit_test(boards_find_theirs),
		cmocka_unit_test(none_free_is_said),
	};

	return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
