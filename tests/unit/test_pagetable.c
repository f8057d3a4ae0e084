/* SPDX-License-Identifier: Apache-2.0 */

#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "lib/pagetable.h"
#include "lib/random.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define KIB 1024ull
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define GIB_COUNT 4u
#define OUTPUT_END (1ull << 40)
#define ATTRIBUTES (PTE_AF | S2_AP_RW | S2_MEMATTR_NORMAL)
#define OTHER_ATTRIBUTES (PTE_AF | S2_AP_RO | S2_MEMATTR_NORMAL)

static struct page_pool pool;
static struct pagetable table;

static void invalidate(struct pagetable *t, uint64_t address, bool subtree)
{
	if (subtree)
		tlbi_guest_vmid();
	else
		tlbi_guest_ipa(address);
}

/* Begin without the fake TLB, which is slow with many pages. */
static void begin_unwatched(unsigned block_level, unsigned pages)
{
	fake_reset();
	table = (struct pagetable){
		.root = fake_pages(1),
		.root_entries = GIB_COUNT,
		.block_level = block_level,
		.pool = &pool,
		.invalidate = invalidate,
	};
	pool = (struct page_pool){ .base = fake_pages(pages), .count = pages };
	pagetable_reset(&table);
}

static void begin(unsigned block_level, unsigned pages)
{
	begin_unwatched(block_level, pages);
	write_vttbr_el2((uintptr_t)table.root);
	isb();
	fake_tlb_watch(table.root, GIB_COUNT);
}

static void assert_tlb_clean(void)
{
	dsb_ishst();
	assert_int_equal(fake_tlb_conflicts(), 0);
	assert_int_equal(fake_tlb_stale(), 0);
}

static void map(uint64_t input, uint64_t output, uint64_t size)
{
	assert_true(pagetable_map(&table, input, output, size, ATTRIBUTES));
	assert_tlb_clean();
}

static void unmap(uint64_t input, uint64_t size)
{
	assert_true(pagetable_unmap(&table, input, size));
	assert_tlb_clean();
}

static void assert_maps(uint64_t input, uint64_t output, unsigned level)
{
	struct pagetable_leaf leaf;

	assert_true(pagetable_walk(&table, input, &leaf));
	assert_int_equal(leaf.output, output);
	assert_int_equal(leaf.level, level);
	assert_int_equal(leaf.attributes, ATTRIBUTES);
}

static void assert_unmapped(uint64_t input)
{
	struct pagetable_leaf leaf;

	assert_false(pagetable_walk(&table, input, &leaf));
}

/* The types are the numbers of DDI 0487 D8.3: 1 is a block, 3 is a table or a page. */
TEST(descriptors_have_their_types)
{
	const pte_t *level2, *level3;

	begin(1, 4);
	level2 = (const pte_t *)(void *)pool.base;
	level3 = level2 + PTE_COUNT;
	map(0, 3 * GIB, GIB + 2 * MIB + PAGE_SIZE);
	assert_int_equal(table.root[0], 3 * GIB | ATTRIBUTES | 1);
	assert_int_equal(table.root[1], (uintptr_t)level2 | 3);
	assert_int_equal(level2[0], 4 * GIB | ATTRIBUTES | 1);
	assert_int_equal(level2[1], (uintptr_t)level3 | 3);
	assert_int_equal(level3[0], (4 * GIB + 2 * MIB) | ATTRIBUTES | 3);
	assert_int_equal(level3[1], 0);
}

TEST(the_last_pages_of_both_ranges_can_be_mapped)
{
	begin(2, 8);
	map(GIB_COUNT * GIB - PAGE_SIZE, OUTPUT_END - PAGE_SIZE, PAGE_SIZE);
	assert_maps(GIB_COUNT * GIB - 1, OUTPUT_END - 1, 3);
	assert_unmapped(GIB_COUNT * GIB);
	assert_unmapped(UINT64_MAX);
}

TEST(unmapping_nothing_takes_no_page)
{
	begin(2, 1);
	unmap(PAGE_SIZE, GIB + PAGE_SIZE);
	assert_int_equal(pool.used, 0);
}

TEST(the_same_mapping_again_changes_nothing)
{
	begin(2, 2);
	map(2 * MIB, 6 * MIB, 2 * MIB);
	map(2 * MIB, 6 * MIB, 2 * MIB);
	assert_int_equal(fake_counts.tlbi_guest_ipa, 0);
	assert_true(pagetable_map(&table, 2 * MIB, 6 * MIB, 2 * MIB, OTHER_ATTRIBUTES));
	assert_int_equal(fake_counts.tlbi_guest_ipa, 1);
	assert_tlb_clean();
}

/* --- calls that must fail --- */

static void assert_refused(uint64_t input, uint64_t output, uint64_t size)
{
	assert_false(pagetable_map(&table, input, output, size, ATTRIBUTES));
	assert_int_equal(pool.used, 0);
	for (unsigned i = 0; i < PTE_COUNT; i++)
		assert_int_equal(table.root[i], 0);
}

TEST(unaligned_arguments_are_refused)
{
	begin(2, 8);
	assert_refused(1, 0, PAGE_SIZE);
	assert_refused(0, 0x800, PAGE_SIZE);
	assert_refused(0, 0, PAGE_SIZE + 1);
	assert_refused(0, 0, 0);
	assert_false(pagetable_unmap(&table, 0x800, PAGE_SIZE));
	assert_false(pagetable_unmap(&table, 0, 0x800));
	assert_false(pagetable_unmap(&table, 0, 0));
}

TEST(ranges_that_leave_the_tables_are_refused)
{
	begin(2, 8);
	assert_refused(GIB_COUNT * GIB, 0, PAGE_SIZE);
	assert_refused(GIB_COUNT * GIB - PAGE_SIZE, 0, 2 * PAGE_SIZE);
	assert_refused(PAGE_SIZE, 0, -(uint64_t)PAGE_SIZE); /* its end wraps to 0 */
	assert_refused(PAGE_SIZE, PAGE_SIZE, -(uint64_t)PAGE_SIZE);
	assert_refused(-(uint64_t)PAGE_SIZE, 0, PAGE_SIZE);
	assert_refused(0, OUTPUT_END, PAGE_SIZE);
	assert_refused(0, OUTPUT_END - PAGE_SIZE, 2 * PAGE_SIZE);
	assert_refused(0, -(uint64_t)PAGE_SIZE, 2 * PAGE_SIZE);
	assert_false(pagetable_unmap(&table, 3 * GIB, 2 * GIB));
}

TEST(what_is_not_mapped_can_lead_to_one_page)
{
	begin(2, 6);
	map(2 * MIB, 6 * MIB, 2 * MIB);
	map(4 * MIB, 7 * MIB, PAGE_SIZE);
	assert_true(pagetable_fill(&table, 0, 16 * MIB, pagetable_filler(&table, GIB, ATTRIBUTES)));
	assert_tlb_clean();
	assert_maps(0, GIB, 3);
	assert_maps(2 * MIB, 6 * MIB, 2);
	assert_maps(4 * MIB, 7 * MIB, 3);
	assert_maps(4 * MIB + PAGE_SIZE, GIB, 3);
	assert_maps(16 * MIB - 1, GIB + PAGE_SIZE - 1, 3);
	assert_unmapped(16 * MIB);
	assert_int_equal(pool.used, 3); /* tables for the first GiB, for 4 to 6 MiB, for all else */
	begin(2, 1);
	assert_false(
		pagetable_fill(&table, 0, 16 * MIB, pagetable_filler(&table, GIB, ATTRIBUTES)));
	assert_null(pagetable_filler(&table, GIB, ATTRIBUTES));
}

TEST(an_empty_pool_leaves_a_part_mapped)
{
	begin(3, 2);
	assert_false(pagetable_map(&table, 0, 0, 4 * MIB, ATTRIBUTES));
	assert_tlb_clean();
	assert_maps(2 * MIB - 1, 2 * MIB - 1, 3);
	assert_unmapped(2 * MIB);
	unmap(0, 2 * MIB); /* its table can be used again */
	map(2 * MIB, 0, 2 * MIB);
}

TEST(a_block_that_cannot_be_split_stays)
{
	begin(2, 1);
	map(2 * MIB, 6 * MIB, 2 * MIB);
	assert_false(pagetable_unmap(&table, 2 * MIB, PAGE_SIZE));
	assert_tlb_clean();
	assert_maps(2 * MIB, 6 * MIB, 2);
}

static bool map_leaf(uint64_t input, uint64_t output, unsigned level)
{
	bool done = pagetable_map_leaf(&table, input, output, level, ATTRIBUTES);

	assert_tlb_clean();
	return done;
}

TEST(a_leaf_changes_nothing_that_is_mapped)
{
	begin(2, 4);
	assert_true(map_leaf(2 * MIB, 6 * MIB, 2));
	assert_true(map_leaf(4 * MIB, 0, 3));
	assert_false(map_leaf(2 * MIB, 0, 2));
	assert_false(map_leaf(2 * MIB + PAGE_SIZE, 0, 3)); /* a part of a leaf */
	assert_false(map_leaf(4 * MIB, 0, 2));             /* a table with a leaf */
	assert_false(map_leaf(0, 0, 1));
	assert_maps(2 * MIB + PAGE_SIZE, 6 * MIB + PAGE_SIZE, 2);
	assert_maps(4 * MIB, 0, 3);
	assert_unmapped(0);
}

TEST(a_leaf_that_is_not_aligned_or_finds_no_page_is_not_mapped)
{
	begin(2, 1);
	assert_false(map_leaf(2 * MIB + PAGE_SIZE, 0, 2));
	assert_false(map_leaf(2 * MIB, PAGE_SIZE, 2));
	assert_false(map_leaf(PAGE_SIZE, 1, 3));
	assert_int_equal(pool.used, 0);
	assert_false(map_leaf(PAGE_SIZE, 0, 3)); /* needs two tables */
	assert_unmapped(PAGE_SIZE);
}

/* --- against a flat model --- */

#define UNITS_MAX 4096u

struct flat {
	uint64_t base;
	uint64_t unit; /* bytes that one element stands for */
	unsigned count;
	bool mapped[UNITS_MAX];
	uint64_t output[UNITS_MAX];
	pte_t attributes[UNITS_MAX];
};
static struct flat flat;
static struct random random_state;

static unsigned draw(unsigned bound)
{
	return random_below(&random_state, bound);
}

/* Draw a range: mostly short, sometimes over everything, often at a block's edge. */
static void draw_range(unsigned *first, unsigned *count)
{
	*first = draw(flat.count);
	if (draw(2))
		*first &= ~(PTE_COUNT - 1);
	*count = 1 + draw(draw(3) ? 20 : flat.count - *first);
	if (draw(2))
		*count = (*count + PTE_COUNT - 1) & ~(PTE_COUNT - 1);
	if (*count > flat.count - *first)
		*count = flat.count - *first;
}

static void random_map(unsigned first, unsigned count)
{
	uint64_t input = flat.base + first * flat.unit;
	uint64_t output = (uint64_t)draw(64) * GIB / 2 + (draw(2) ? input : draw(999) * flat.unit);
	pte_t attributes = draw(2) ? ATTRIBUTES : OTHER_ATTRIBUTES;

	assert_true(pagetable_map(&table, input, output, count * flat.unit, attributes));
	for (unsigned i = first; i < first + count; i++) {
		flat.mapped[i] = true;
		flat.output[i] = output + (i - first) * flat.unit;
		flat.attributes[i] = attributes;
	}
}

static void random_unmap(unsigned first, unsigned count)
{
	assert_true(pagetable_unmap(&table, flat.base + first * flat.unit, count * flat.unit));
	for (unsigned i = first; i < first + count; i++)
		flat.mapped[i] = false;
}

static bool same(unsigned i, uint64_t offset)
{
	struct pagetable_leaf leaf;
	bool found = pagetable_walk(&table, flat.base + i * flat.unit + offset, &leaf);

	if (found != flat.mapped[i])
		return false;
	return !found || (leaf.output == flat.output[i] + offset &&
			  leaf.attributes == flat.attributes[i] && leaf.level >= table.block_level);
}

static void random_steps(unsigned steps)
{
	for (unsigned step = 0; step < steps; step++) {
		unsigned first, count;

		draw_range(&first, &count);
		if (draw(3))
			random_map(first, count);
		else
			random_unmap(first, count);
		for (unsigned i = 0; i < flat.count; i++)
			if (!same(i, 0) || !same(i, flat.unit - 1))
				fail_msg("step %u: unit %u of %#llx bytes, block level %u", step, i,
					 (unsigned long long)flat.unit, table.block_level);
	}
}

static void random_changes(uint64_t base, uint64_t unit, unsigned count, unsigned block_level)
{
	flat = (struct flat){ .base = base, .unit = unit, .count = count };
	random_init(&random_state, block_level, 0);
	begin_unwatched(block_level, 64);
	random_steps(300);
	assert_in_range(pool.used, 1, 12 + 4);
	assert_true(pagetable_unmap(&table, 0, GIB_COUNT * GIB));
}

/* The range lies around 1 GiB, where two level-2 tables meet. */
TEST(random_pages_are_as_in_a_flat_model)
{
	random_changes(GIB - 8 * MIB, PAGE_SIZE, 4096, 3);
	random_changes(GIB - 8 * MIB, PAGE_SIZE, 4096, 2);
	random_changes(GIB - 8 * MIB, PAGE_SIZE, 4096, 1);
}

TEST(random_blocks_are_as_in_a_flat_model)
{
	random_changes(0, 2 * MIB, 2048, 2);
	random_changes(0, 2 * MIB, 2048, 1);
}

/* Change few pages at a time: the fake TLB looks at the whole table after each change. */
TEST(random_changes_keep_break_before_make)
{
	begin(2, 16);
	random_init(&random_state, 1, 0);
	for (unsigned i = 0; i < 100; i++) {
		bool block = !draw(3);
		uint64_t size = block ? 2 * MIB : (1 + draw(4)) * PAGE_SIZE;
		uint64_t input =
			block ? draw(3) * 2 * MIB : 2 * MIB - 4 * PAGE_SIZE + draw(8) * PAGE_SIZE;

		if (draw(3))
			map(input, input + draw(4) * 2 * MIB, size);
		else
			unmap(input, size);
	}
}
