/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/alias_window.h"

#define GIB ALIAS_WINDOW_SIZE

static uint64_t chosen(const struct alias_range *used, unsigned count)
{
	uint64_t base = 1;

	assert_true(alias_window_choose(used, count, &base));
	return base;
}

static void the_highest_free_gib_is_chosen(void **state)
{
	const struct alias_range used[] = { { 3 * GIB, GIB }, { 0, 1 } };

	(void)state;
	assert_int_equal(chosen(used, 0), 3 * GIB);
	assert_int_equal(chosen(used, 1), 2 * GIB);
	assert_int_equal(chosen(used, 2), 2 * GIB);
}

static void an_edge_touches_and_its_neighbour_does_not(void **state)
{
	const struct alias_range below[] = { { 2 * GIB, GIB } };
	const struct alias_range first[] = { { 2 * GIB, GIB + 1 } };
	const struct alias_range last[] = { { 4 * GIB - 1, 1 } };

	(void)state;
	assert_int_equal(chosen(below, 1), 3 * GIB);
	assert_int_equal(chosen(first, 1), 1 * GIB);
	assert_int_equal(chosen(last, 1), 2 * GIB);
}

static void what_has_no_size_is_not_there(void **state)
{
	const struct alias_range used[] = { { 3 * GIB, 0 } };

	(void)state;
	assert_int_equal(chosen(used, 1), 3 * GIB);
}

/* RAM in GiB 2 as on the virt boards; RAM across a GiB's edge; devices at the top of the 4 GiB. */
static void boards_find_theirs(void **state)
{
	const struct alias_range virt[] = {
		{ 0x80000000, 0x40000000 },
		{ 0x08000000, 0x10000 },
		{ 0x40200000, 0x1000 },
	};
	const struct alias_range shifted[] = {
		{ 0x60000000, 0x40000000 },
		{ 0xff840000, 0x10000 },
	};

	(void)state;
	assert_int_equal(chosen(virt, 3), 0xc0000000);
	assert_int_equal(chosen(shifted, 2), 0);
}

static void none_free_is_said(void **state)
{
	const struct alias_range used[] = { { GIB - 1, 2 }, { 3 * GIB - 1, 2 } };
	uint64_t base;

	(void)state;
	assert_false(alias_window_choose(used, 2, &base));
}

#define RAM 0x80000000ull
#define MIB 0x100000ull

static const char *refusal(uint64_t start, uint64_t size, uint64_t end, uint64_t leaf_size)
{
	const struct alias_range ram = { start, size };

	return alias_window_refuses(&ram, end, leaf_size);
}

static void whole_ram_can_be_mapped(void **state)
{
	(void)state;
	assert_null(refusal(RAM, GIB, RAM + GIB, 4096));
	assert_null(refusal(RAM, GIB, RAM + GIB, 2 * MIB));
	assert_null(refusal(RAM, GIB, RAM + GIB, GIB));
	assert_null(refusal(RAM, GIB, RAM + 4096, GIB));
	assert_null(refusal(RAM, 2 * GIB, RAM + GIB, GIB));
}

static void memory_that_is_not_there_is_refused(void **state)
{
	(void)state;
	assert_string_equal(refusal(RAM, 16 * MIB, RAM + 16 * MIB + 1, 4096), "not enough memory");
	/* the last leaf is not all in RAM */
	assert_string_equal(refusal(RAM, 15 * MIB, RAM + 15 * MIB, 2 * MIB), "not enough memory");
	assert_null(refusal(RAM, 15 * MIB, RAM + 14 * MIB, 2 * MIB));
	/* nor in the window */
	assert_string_equal(refusal(RAM, 2 * GIB, RAM + GIB + 1, 4096), "not enough memory");
}

static void ram_without_a_whole_block_is_refused(void **state)
{
	(void)state;
	assert_non_null(refusal(RAM + 2 * MIB, GIB, RAM + 4 * MIB, GIB));
	assert_null(refusal(RAM + 2 * MIB, GIB, RAM + 4 * MIB, 2 * MIB));
	assert_non_null(refusal(RAM, GIB / 2, RAM + 4 * MIB, GIB));
	assert_non_null(refusal(RAM + 4096, GIB, RAM + 4 * MIB, 2 * MIB));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_highest_free_gib_is_chosen),
		cmocka_unit_test(an_edge_touches_and_its_neighbour_does_not),
		cmocka_unit_test(what_has_no_size_is_not_there),
		cmocka_unit_test(boards_find_theirs),
		cmocka_unit_test(none_free_is_said),
		cmocka_unit_test(whole_ram_can_be_mapped),
		cmocka_unit_test(memory_that_is_not_there_is_refused),
		cmocka_unit_test(ram_without_a_whole_block_is_refused),
	};

	return cmocka_run_group_tests_name("alias_window", tests, NULL, NULL);
}
