/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of guest RAM with and without colours: which ranges it holds, and which are contiguous. */
/* LINK: hyp/mem/guest_ram.c */
#include "hyp/mem/guest_ram.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "tests/unit/unit.h"

#define BASE 0x40000000u
#define PAGES 1000u

static const uint32_t low[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static struct guest_ram coloured(const uint32_t *colour, unsigned count, pa_t window)
{
	return (struct guest_ram){ .base = BASE,
				   .pa = window,
				   .size = PAGES * PAGE_SIZE,
				   .colours = count,
				   .colour = colour };
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
