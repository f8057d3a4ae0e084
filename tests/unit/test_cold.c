/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of HC_COLD on fake caches: it cleans every line of every level once, by an operand made of
 * level, set and way. Without a cache level it cleans the memory in use, by address. The fake
 * machine decodes operands as in DDI 0487 C5.3 (DC CISW), from the cache's geometry and not with
 * the functions under test.
 */
/* LINK: hyp/mem/cold.c hyp/mem/guest_ram.c */
#include <string.h>

#include "abi/guest_run.h"
#include "arch/sysreg.h"
#include "hyp/base/image.h"
#include "hyp/mem/cold.h"
#include "hyp/mem/guest_ram.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define LEVELS 7u
#define GIB 0x40000000u
#define LINES_MAX 65536u
#define GUESTS_CSSELR 3u /* the guest's selection: L2, instruction */

struct cache {
	unsigned type; /* CLIDR.Ctype */
	unsigned sets, ways, line_log2;
	unsigned way_bits; /* bits of the way in an operand: ceil(log2(ways)) */
};

#define USED 3u /* used pages of stage-2 tables, out of PAGES */
#define PAGES 8u

static struct cache cache[LEVELS];
static uint8_t cleaned[LEVELS][LINES_MAX];
static unsigned operations, level_switches, last_level, barriers_before;

static bool is_data(const struct cache *c)
{
	return c->type >= 2;
}

static uint64_t ccsidr_of(uint64_t csselr)
{
	const struct cache *c = &cache[csselr >> 1 & 7];

	assert_true(csselr >> 1 < LEVELS && !(csselr & 1) && is_data(c));
	return (uint64_t)(c->sets - 1) << 13 | (uint64_t)(c->ways - 1) << 3 | (c->line_log2 - 4);
}

static bool read_register(const uint64_t *variable, uint64_t *value)
{
	if (variable != &fake_ccsidr_el1)
		return false;
	*value = ccsidr_of(fake_csselr_el1);
	return true;
}

/* Each level must be complete, by a dsb, before the next begins. */
static void note_level(unsigned level)
{
	if (operations++ && level == last_level)
		return;
	if (operations > 1)
		assert_true(level > last_level);
	assert_int_not_equal(fake_barriers.dsb_sy, barriers_before);
	barriers_before = fake_barriers.dsb_sy;
	last_level = level;
	level_switches++;
}

/* Symbols of linker/hyp.ld.S, and the guest header's members that say where the guest lies. */
#define GUEST_START 0x80100000u
#define GUEST_END 0x80234000u
uint8_t __image_start[1], __percore_copies[1];
const uint8_t __guest_image_start[sizeof(struct guest_header)] __attribute__((aligned(8))) = {
	[18] = 0x10, [19] = 0x80,              /* load_address */
	[41] = 0x40, [42] = 0x23, [43] = 0x80, /* memory_end */
};

static uint8_t table_pages[PAGES * PAGE_SIZE];
static const struct page_pool tables = { .base = table_pages, .count = PAGES, .used = USED };

static struct guest_ram ram;

static struct range {
	uintptr_t start, end;
} ranges[64];
static unsigned range_count;

static void clean_range(uintptr_t start, size_t size)
{
	assert_true(range_count < ARRAY_SIZE(ranges));
	ranges[range_count++] = (struct range){ start, start + size };
}

static void clean_line(uint32_t operand)
{
	unsigned level = operand >> 1 & 7;
	const struct cache *c = &cache[level];
	unsigned way = c->way_bits ? operand >> (32 - c->way_bits) : 0;
	unsigned set = (operand << c->way_bits >> c->way_bits) >> c->line_log2;

	assert_true(level < LEVELS && is_data(c));
	assert_int_equal(operand & 1, 0);
	assert_true(way < c->ways);
	assert_true(set < c->sets);
	assert_int_equal(operand & ((1u << c->line_log2) - 1) & ~0xeu, 0);
	note_level(level);
	cleaned[level][way * c->sets + set]++;
}

static void add_level(unsigned level, struct cache geometry)
{
	cache[level] = geometry;
	fake_clidr_el1 |= (uint64_t)geometry.type << 3 * level;
}

static void setup(void)
{
	fake_reset();
	memset(cache, 0, sizeof(cache));
	memset(cleaned, 0, sizeof(cleaned));
	operations = level_switches = last_level = barriers_before = 0;
	fake_sysregs.read = read_register;
	fake_set_way = clean_line;
	fake_by_address = clean_range;
	range_count = 0;
	ram = ram_plain(GUEST_START - GUEST_IMAGE_OFFSET, GUEST_START - GUEST_IMAGE_OFFSET, GIB);
	fake_csselr_el1 = GUESTS_CSSELR;
	fake_clidr_el1 = 0x0a000000; /* LoUU and LoC: no bits of a Ctype */
}

/* Assert that every line of the levels that hold data was cleaned once, and no other line. */
static void assert_all_cleaned(void)
{
	unsigned lines = 0;

	for (unsigned level = 0; level < LEVELS; level++) {
		const struct cache *c = &cache[level];

		for (unsigned i = 0; is_data(c) && i < c->sets * c->ways; i++)
			assert_int_equal(cleaned[level][i], 1);
		lines += is_data(c) ? c->sets * c->ways : 0;
	}
	assert_int_equal(operations, lines);
}

static void cold_caches(void)
{
	assert_true(cold_make(&ram, &tables, STATE_COLD_CACHES, 0));
	assert_all_cleaned();
	assert_int_equal(fake_csselr_el1, GUESTS_CSSELR);
	assert_int_equal(fake_counts.icache_core, 1);
	assert_int_equal(fake_counts.tlbi_core_guests + fake_counts.tlbi_core_el2, 0);
	assert_int_equal(range_count, 0);
	assert_true(fake_barriers.dsb_sy > barriers_before); /* after the last level */
}

EACH_TEST(setup, NULL);

/* By level: type, sets, ways, log2 of a line's bytes, bits of a way. */
static const struct {
	unsigned levels; /* number of levels with data */
	struct cache level[LEVELS];
} machines[] = {
	/* Cortex-A15: 32 KiB, 2 ways; 1 MiB, 16 ways */
	{ 2, { { 3, 256, 2, 6, 1 }, { 4, 1024, 16, 6, 4 } } },
	/* ways that are no power of two: 3 take two bits, 5 three, 11 four */
	{ 3, { { 3, 256, 3, 6, 2 }, { 4, 512, 5, 6, 3 }, { 4, 1024, 11, 7, 4 } } },
	/* sets that are no power of two */
	{ 1, { { 4, 192, 4, 6, 2 } } },
	/* direct-mapped, fully associative, one line */
	{ 3, { { 2, 512, 1, 5, 0 }, { 4, 1, 64, 6, 6 }, { 4, 1, 1, 4, 0 } } },
	/* a level with instructions alone is skipped */
	{ 1, { { 1, 0, 0, 0, 0 }, { 4, 64, 4, 6, 2 } } },
	{ 7, { [0 ... LEVELS - 1] = { 4, 8, 4, 6, 2 } } },
};

TEST(every_line_of_every_level_is_cleaned_once)
{
	for (unsigned i = 0; i < ARRAY_SIZE(machines); i++) {
		setup();
		for (unsigned level = 0; level < LEVELS; level++)
			add_level(level, machines[i].level[level]);
		cold_caches();
		assert_int_equal(level_switches, machines[i].levels);
	}
}

/* After the first level without a cache CLIDR has no meaning (DDI 0487 D13.2.26). */
TEST(the_first_level_without_a_cache_is_the_end)
{
	add_level(0, (struct cache){ 3, 64, 4, 6, 2 });
	fake_clidr_el1 |= 4u << 6;
	cold_caches();
}

#define WORKING 0x123000u

TEST(without_a_level_all_in_use_goes_by_address)
{
	const struct range wanted[] = {
		{ GUEST_START - GUEST_IMAGE_OFFSET, GUEST_START - GUEST_IMAGE_OFFSET + PAGE_SIZE },
		{ GUEST_START, GUEST_END },
		{ 0x80400000, 0x80400000 + WORKING },
		{ (uintptr_t)__image_start, (uintptr_t)table_pages + USED * PAGE_SIZE },
		{ (uintptr_t)table_pages + sizeof(table_pages), (uintptr_t)__percore_copies },
	};

	assert_true(cold_make(&ram, &tables, STATE_COLD_CACHES, WORKING));
	assert_int_equal(range_count, ARRAY_SIZE(wanted));
	assert_memory_equal(ranges, wanted, sizeof(wanted));
	assert_int_equal(operations, 0);
	assert_int_equal(fake_counts.icache_core, 1);
}

/* With eight colours of sixteen, eight pages are contiguous and the next eight follow a gap. */
TEST(with_colours_the_pages_of_the_guest_are_cleaned)
{
	static const uint32_t colours[] = { 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint64_t base = GUEST_START - GUEST_IMAGE_OFFSET;

	ram.pa = 0xa0000000;
	ram.colours = ARRAY_SIZE(colours);
	ram.colour = colours;
	assert_true(cold_make(&ram, &tables, STATE_COLD_CACHES, 8 * PAGE_SIZE));
	assert_int_equal(ranges[0].start, 0xa0000000 + 8 * PAGE_SIZE);
	assert_int_equal(ranges[0].end, 0xa0000000 + 9 * PAGE_SIZE);
	for (uint64_t at = GUEST_START - base; at < GUEST_END - base; at += 8 * PAGE_SIZE) {
		unsigned i = (unsigned)((at - (GUEST_START - base)) / (8 * PAGE_SIZE));

		assert_int_equal(ranges[1 + i].start, 0xa0000000 + 2 * at + 8 * PAGE_SIZE);
	}
	assert_int_equal(ranges[range_count - 3].start, 0xa0000000 + 2 * 0x400000 + 8 * PAGE_SIZE);
	assert_int_equal(ranges[range_count - 3].end, 0xa0000000 + 2 * 0x400000 + 16 * PAGE_SIZE);
}

TEST(a_way_of_the_last_level_has_the_colours)
{
	assert_int_equal(cold_colours(), 0);
	add_level(0, (struct cache){ 3, 256, 2, 6, 1 });
	assert_int_equal(cold_colours(), 4);
	add_level(1, (struct cache){ 4, 1024, 16, 6, 4 });
	assert_int_equal(cold_colours(), 16);
	assert_int_equal(fake_csselr_el1, GUESTS_CSSELR);
}

TEST(by_address_there_is_a_bound)
{
	assert_true(cold_make(&ram, &tables, STATE_COLD_CACHES, COLD_WORKING_MAX));
	assert_false(cold_make(&ram, &tables, STATE_COLD_CACHES, COLD_WORKING_MAX + 1));
	assert_false(cold_make(&ram, &tables, STATE_COLD_CACHES, (reg_t)-1));
	assert_int_equal(fake_counts.icache_core, 1);
	add_level(0, (struct cache){ 3, 64, 4, 6, 2 });
	assert_true(cold_make(&ram, &tables, STATE_COLD_CACHES, COLD_WORKING_MAX + 1));
	assert_all_cleaned();
}

TEST(cold_tlbs_leave_caches_alone)
{
	add_level(0, (struct cache){ 3, 256, 2, 6, 1 });
	assert_true(cold_make(&ram, &tables, STATE_COLD_TLB, 0));
	assert_int_equal(fake_counts.tlbi_core_guests, 1);
	assert_int_equal(fake_counts.tlbi_core_el2, 1);
	assert_int_equal(operations + fake_counts.icache_core + fake_counts.icache_all, 0);
}

TEST(warm_does_nothing_and_the_rest_is_refused)
{
	add_level(0, (struct cache){ 3, 256, 2, 6, 1 });
	assert_true(cold_make(&ram, &tables, STATE_WARM, 0));
	assert_false(cold_make(&ram, &tables, STATE_COLD_TLB + 1, 0));
	assert_false(cold_make(&ram, &tables, (reg_t)-1, 0));
	assert_false(cold_make(&ram, &tables, (reg_t)1 << 32 | STATE_COLD_TLB, 0));
	assert_int_equal(operations + fake_counts.icache_core, 0);
	assert_int_equal(fake_counts.tlbi_core_guests + fake_counts.tlbi_core_el2, 0);
}
