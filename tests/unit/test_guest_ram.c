/* SPDX-License-Identifier: Apache-2.0 */
/* Guest RAM with and without colours: the place of every page, and copies across pages. */
/* LINK: hyp/mem/guest_ram.c */
#include <string.h>

#include "hyp/mem/guest_ram.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BASE 0x40000000u
#define PAGES 1000u
#define ROW (PLAN_COLOURS * PAGE_SIZE)

static const uint32_t one[] = { 5 }, low[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, high[] = { 8, 11, 12, 15 },
		      all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static struct guest_ram coloured(const uint32_t *colour, unsigned count, pa_t window)
{
	return (struct guest_ram){ .base = BASE,
				   .pa = window,
				   .size = PAGES * PAGE_SIZE,
				   .colours = count,
				   .colour = colour };
}

TEST(without_colours_a_constant_lies_between)
{
	struct guest_ram ram = ram_plain(BASE, 0x80000000, PAGES * PAGE_SIZE);
	struct ram_span span = { .ipa = BASE + 5, .left = PAGES * PAGE_SIZE - 5 };

	assert_int_equal(ram.linear, ram.size);
	for (unsigned i = 0; i < PAGES; i++)
		assert_int_equal(ram_pa(&ram, BASE + i * PAGE_SIZE + i),
				 0x80000000 + i * PAGE_SIZE + i);
	assert_true(ram_next(&ram, &span));
	assert_int_equal(span.size, PAGES * PAGE_SIZE - 5);
	assert_false(ram_next(&ram, &span));
}

/* Each page has a colour of the set, a place that is no other page's, and bytes in their order. */
static void assert_map(const uint32_t *colour, unsigned count)
{
	const pa_t window = 0x80000000;
	struct guest_ram ram = coloured(colour, count, window);
	static ipa_t at[PAGES * PLAN_COLOURS + PLAN_COLOURS];

	memset(at, 0, sizeof(at));
	for (unsigned i = 0; i < PAGES; i++) {
		ipa_t ipa = BASE + i * PAGE_SIZE;
		pa_t pa = ram_pa(&ram, ipa);
		unsigned place = (unsigned)((pa - window) / PAGE_SIZE);

		assert_int_equal(pa % PAGE_SIZE, 0);
		assert_int_equal(place, i / count * PLAN_COLOURS + colour[i % count]);
		assert_int_equal(pa / PAGE_SIZE % PLAN_COLOURS, colour[i % count]);
		assert_true(place / PLAN_COLOURS <= PAGES / count);
		assert_int_equal(at[place], 0);
		at[place] = ipa;
		assert_int_equal(ram_pa(&ram, ipa + 0xfff), pa + 0xfff);
	}
	/* and back: of the places with a colour of the set none is left out */
	for (unsigned i = 0; i < PAGES; i++) {
		unsigned place = i / count * PLAN_COLOURS + colour[i % count];

		assert_int_equal(at[place], BASE + i * PAGE_SIZE);
	}
}

TEST(every_page_has_a_place_of_its_colours)
{
	assert_map(one, ARRAY_SIZE(one));
	assert_map(low, ARRAY_SIZE(low));
	assert_map(high, ARRAY_SIZE(high));
	assert_map(all, ARRAY_SIZE(all));
}

TEST(parts_end_where_pages_are_no_neighbours)
{
	static const uint32_t colour[] = { 0, 3, 4, 15 };
	struct guest_ram ram = coloured(colour, ARRAY_SIZE(colour), 0x80000000);
	struct ram_span span = { .ipa = BASE + 0x10, .left = 9 * PAGE_SIZE };
	static const struct {
		pa_t pa;
		size_t size;
	} parts[] = {
		{ 0x10, 0xff0 },     { 0x3000, 0x2000 },
		{ 0xf000, 0x2000 }, /* 15 and the next row's 0 */
		{ 0x13000, 0x2000 }, { 0x1f000, 0x2000 },
		{ 0x23000, 0x10 },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
		assert_true(ram_next(&ram, &span));
		assert_int_equal((uintptr_t)span.at, 0x80000000 + parts[i].pa);
		assert_int_equal(span.size, parts[i].size);
	}
	assert_false(ram_next(&ram, &span));
}

TEST(what_is_not_wholly_in_ram_is_not_held)
{
	const uint64_t end = BASE + PAGES * PAGE_SIZE;
	struct guest_ram plain = ram_plain(BASE, 0x80000000, PAGES * PAGE_SIZE);
	struct guest_ram ram = coloured(low, ARRAY_SIZE(low), 0x80000000);
	const struct {
		ipa_t ipa;
		uint64_t size;
		bool held;
	} cases[] = {
		{ BASE, 0, true },
		{ BASE, PAGES * PAGE_SIZE, true },
		{ end - 4, 4, true },
		{ end - 4, 5, false },
		{ end, 0, true },
		{ end, 1, false },
		{ end + 1, 0, false },
		{ BASE - 1, 1, false },
		{ BASE - 1, 2, false },
		{ BASE, PAGES * PAGE_SIZE + 1, false },
		{ 0, 1, false },
		{ UINT64_MAX, 1, false },
		{ UINT64_MAX, 2, false },
		{ BASE, UINT64_MAX, false },
		{ end - 4, UINT64_MAX - 3, false },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(ram_holds(&ram, cases[i].ipa, cases[i].size), cases[i].held);
		assert_int_equal(ram_holds(&plain, cases[i].ipa, cases[i].size), cases[i].held);
		if (!cases[i].held)
			assert_null(ram_at(&ram, cases[i].ipa, (size_t)cases[i].size));
	}
}

TEST(side_by_side_or_not)
{
	struct guest_ram ram = coloured(low, ARRAY_SIZE(low), 0x80000000);

	assert_int_equal((uintptr_t)ram_at(&ram, BASE + 0xffe, 4), 0x80000ffe);
	assert_int_equal((uintptr_t)ram_at(&ram, BASE, 8 * PAGE_SIZE), 0x80000000);
	assert_null(ram_at(&ram, BASE + 7 * PAGE_SIZE + 0xffe, 4));
	assert_null(ram_at(&ram, BASE, 8 * PAGE_SIZE + 1));
	assert_int_equal((uintptr_t)ram_at(&ram, BASE + 8 * PAGE_SIZE, 1), 0x80000000 + ROW);
}

/* Nothing but the pages of its colours is touched, and each byte comes back. */
TEST_WITH(a_copy_crosses_pages, fake_reset, NULL)
{
	static uint8_t there[5 * PAGE_SIZE], back[5 * PAGE_SIZE];
	uint8_t *window = fake_pages(8 * PLAN_COLOURS);
	struct guest_ram ram = coloured(high, ARRAY_SIZE(high), (uintptr_t)window);

	memset(window, 0xa5, 8 * ROW);
	for (unsigned i = 0; i < sizeof(there); i++)
		there[i] = (uint8_t)(i * 7 + i / 256);
	ram_copy(&ram, BASE + 0x123, there, sizeof(there), true);
	for (unsigned i = 0; i < sizeof(there); i++)
		assert_int_equal(*(uint8_t *)(uintptr_t)ram_pa(&ram, BASE + 0x123 + i), there[i]);
	for (unsigned i = 0; i < 8 * PLAN_COLOURS; i++)
		if (!(0x9900 >> i % PLAN_COLOURS & 1))
			for (unsigned at = 0; at < PAGE_SIZE; at++)
				assert_int_equal(window[i * PAGE_SIZE + at], 0xa5);
	ram_copy(&ram, BASE + 0x123, back, sizeof(back), false);
	assert_memory_equal(back, there, sizeof(back));
}
