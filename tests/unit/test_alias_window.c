/* SPDX-License-Identifier: Apache-2.0 */

#include "lib/alias_window.h"
#include "tests/unit/unit.h"

#define GIB ALIAS_WINDOW_SIZE

static uint64_t chosen(const struct alias_range *used, unsigned count)
{
	uint64_t base = 1;

	assert_true(alias_window_choose(used, count, &base));
	return base;
}

TEST(the_highest_free_gib_is_chosen)
{
	const struct alias_range used[] = { { 3 * GIB, GIB }, { 0, 1 } };

	assert_int_equal(chosen(used, 0), 3 * GIB);
	assert_int_equal(chosen(used, 1), 2 * GIB);
	assert_int_equal(chosen(used, 2), 2 * GIB);
}

TEST(an_edge_touches_and_its_neighbour_does_not)
{
	const struct alias_range below[] = { { 2 * GIB, GIB } };
	const struct alias_range first[] = { { 2 * GIB, GIB + 1 } };
	const struct alias_range last[] = { { 4 * GIB - 1, 1 } };

	assert_int_equal(chosen(below, 1), 3 * GIB);
	assert_int_equal(chosen(first, 1), 1 * GIB);
	assert_int_equal(chosen(last, 1), 2 * GIB);
}

TEST(none_free_is_said)
{
	const struct alias_range used[] = { { GIB - 1, 2 }, { 3 * GIB - 1, 2 } };
	uint64_t base;

	assert_false(alias_window_choose(used, 2, &base));
}

#define RAM 0x80000000ull
#define MIB 0x100000ull

static const char *refusal(uint64_t start, uint64_t size, uint64_t end, uint64_t leaf_size)
{
	const struct alias_range ram = { start, size };

	return alias_window_refuses(&ram, end, leaf_size);
}

TEST(whole_ram_can_be_mapped)
{
	assert_null(refusal(RAM, GIB, RAM + GIB, 4096));
	assert_null(refusal(RAM, GIB, RAM + GIB, 2 * MIB));
	assert_null(refusal(RAM, GIB, RAM + GIB, GIB));
	assert_null(refusal(RAM, GIB, RAM + 4096, GIB));
	assert_null(refusal(RAM, 2 * GIB, RAM + GIB, GIB));
}

TEST(memory_that_is_not_there_is_refused)
{
	assert_string_equal(refusal(RAM, 16 * MIB, RAM + 16 * MIB + 1, 4096), "not enough memory");
	/* the last leaf is not all in RAM */
	assert_string_equal(refusal(RAM, 15 * MIB, RAM + 15 * MIB, 2 * MIB), "not enough memory");
	assert_null(refusal(RAM, 15 * MIB, RAM + 14 * MIB, 2 * MIB));
	/* the end is not in the window */
	assert_string_equal(refusal(RAM, 2 * GIB, RAM + GIB + 1, 4096), "not enough memory");
}

TEST(ram_without_a_whole_block_is_refused)
{
	assert_non_null(refusal(RAM + 2 * MIB, GIB, RAM + 4 * MIB, GIB));
	assert_null(refusal(RAM + 2 * MIB, GIB, RAM + 4 * MIB, 2 * MIB));
	assert_non_null(refusal(RAM, GIB / 2, RAM + 4 * MIB, GIB));
	assert_non_null(refusal(RAM + 4096, GIB, RAM + 4 * MIB, 2 * MIB));
}
