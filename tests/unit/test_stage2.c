/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a VM's stage 2. test_pagetable.c tests the tables themselves. */
/* LINK: hyp/cpu/errata.c hyp/base/record.c hyp/mem/stage2.c hyp/mem/stage2_lazy.c */
/* LINK: hyp/mem/guest_ram.c */

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/mem/stage2.h"
#include "hyp/mem/stage2_lazy.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define MIB 0x100000ull
#define GIB 0x40000000ull
#define VMID 5u

static struct page_pool pool;
static pte_t *root;
static struct stage2 stage2;

static void begin(enum stage2_grain grain)
{
	fake_reset();
	root = fake_pages(1);
	pool = (struct page_pool){ .base = fake_pages(8), .count = 8 };
	fake_tlb_watch(root, STAGE2_INPUT_GIB);
	stage2_reset(&stage2, VMID, grain, &pool, root);
}

/* Assert that no TLB entry conflicts or is stale, and that every mapping is published. */
static void assert_tlb_clean(void)
{
	assert_int_equal(fake_tlb_conflicts(), 0);
	assert_int_equal(fake_tlb_stale(), 0);
	assert_int_equal(fake_tlb_unpublished(), 0);
}

static void map(ipa_t ipa, pa_t pa, uint64_t size)
{
	assert_true(stage2_map(&stage2, ipa, pa, size, STAGE2_NORMAL));
	assert_tlb_clean();
}

static void assert_maps(ipa_t ipa, pa_t pa, unsigned level)
{
	struct pagetable_leaf leaf;

	assert_true(pagetable_walk(&stage2.table, ipa, &leaf));
	assert_int_equal(leaf.output, pa);
	assert_int_equal(leaf.level, level);
}

static pte_t attributes_at(ipa_t ipa)
{
	struct pagetable_leaf leaf;

	assert_true(pagetable_walk(&stage2.table, ipa, &leaf));
	return leaf.attributes;
}

/* The attributes are bits of DDI 0487 D8.3.2: AF 10, SH 9:8, S2AP 7:6, MemAttr 5:2, XN 54. */
TEST(memory_has_its_attributes)
{
	begin(STAGE2_2M);
	assert_true(stage2_map(&stage2, 0, 0, PAGE_SIZE, STAGE2_NORMAL));
	assert_true(stage2_map(&stage2, PAGE_SIZE, 0, PAGE_SIZE, STAGE2_DEVICE));
	assert_int_equal(attributes_at(0), 1 << 10 | 3 << 8 | 3 << 6 | 0xf << 2);
	assert_int_equal(attributes_at(PAGE_SIZE), 1ull << 54 | 1 << 10 | 3 << 6 | 0x1 << 2);
}

/* --- fill=lazy --- */

static struct stage2_lazy lazy;
static struct guest_ram ram;

static void begin_lazily(enum stage2_grain grain, ipa_t base, uint64_t size)
{
	begin(grain);
	ram = ram_plain(base, base, size);
	stage2_lazy_begin(&lazy, &stage2, &ram, 0);
}

static void touch(ipa_t ipa)
{
	assert_true(stage2_lazy_fault(&lazy, ipa));
	assert_tlb_clean();
}

TEST(a_first_touch_maps_a_leaf_of_the_grain)
{
	static const unsigned level[] = { [STAGE2_4K] = 3, [STAGE2_2M] = 2, [STAGE2_1G] = 1 };

	for (enum stage2_grain grain = STAGE2_4K; grain <= STAGE2_1G; grain++) {
		begin_lazily(grain, 2 * GIB, GIB);
		touch(2 * GIB + 5 * MIB + 123);
		assert_maps(2 * GIB + 5 * MIB, 2 * GIB + 5 * MIB, level[grain]);
		assert_int_equal(attributes_at(2 * GIB + 5 * MIB),
				 1 << 10 | 3 << 8 | 3 << 6 | 0xf << 2);
	}
}

/* The RAM begins at 1 MiB and ends in a block. At both ends only 4 KiB leaves hold RAM alone. */
TEST(a_leaf_holds_nothing_but_memory)
{
	struct pagetable_leaf leaf;

	begin_lazily(STAGE2_1G, MIB, 4 * MIB + PAGE_SIZE);
	touch(MIB);
	touch(2 * MIB);
	touch(5 * MIB);
	assert_maps(MIB, MIB, 3);
	assert_maps(2 * MIB, 2 * MIB, 2);
	assert_maps(5 * MIB, 5 * MIB, 3);
	assert_false(stage2_lazy_fault(&lazy, MIB - 1));
	assert_false(stage2_lazy_fault(&lazy, 5 * MIB + PAGE_SIZE));
	assert_false(pagetable_walk(&stage2.table, 0, &leaf));
	assert_false(pagetable_walk(&stage2.table, 5 * MIB + PAGE_SIZE, &leaf));
}

/* HPFAR gives the IPA of the page, and its colour gives the PA. After an unmap a touch maps the
 * page again. */
TEST(a_first_touch_maps_a_page_of_its_colour)
{
	static const uint32_t colour[] = { 1, 7 };

	begin(STAGE2_4K);
	ram = (struct guest_ram){
		.base = 2 * GIB, .pa = GIB, .size = 64 * MIB, .colours = 2, .colour = colour
	};
	stage2_lazy_begin(&lazy, &stage2, &ram, 0);
	for (unsigned i = 0; i < 40; i++) {
		ipa_t page = 2 * GIB + i * PAGE_SIZE;

		fake_hpfar_el2 = page >> 8;
		touch(page + 123);
		assert_maps(page, GIB + (i / 2 * 16 + colour[i % 2]) * PAGE_SIZE, 3);
		assert_true(stage2_lazy_unmap(&lazy, page));
		touch(page);
	}
	fake_hpfar_el2 = (2 * GIB + 64 * MIB) >> 8;
	assert_false(stage2_lazy_fault(&lazy, 2 * GIB + 64 * MIB));
	assert_int_equal(lazy.faults, 80);
}

/* Lazy filling takes as many tables as eager filling: one for 1 GiB of 2 MiB blocks, and one for
 * each block. */
TEST(all_memory_takes_the_tables_of_eager_filling)
{
	unsigned used;

	fake_reset();
	root = fake_pages(1);
	pool = (struct page_pool){ .base = fake_pages(513), .count = 513 };
	stage2_reset(&stage2, VMID, STAGE2_4K, &pool, root);
	assert_true(stage2_map(&stage2, 2 * GIB, 2 * GIB, GIB, STAGE2_NORMAL));
	used = pool.used;
	stage2_reset(&stage2, VMID, STAGE2_4K, &pool, root);
	ram = ram_plain(2 * GIB, 2 * GIB, GIB);
	stage2_lazy_begin(&lazy, &stage2, &ram, 0);
	for (ipa_t at = 2 * GIB; at < 3 * GIB; at += PAGE_SIZE)
		assert_true(stage2_lazy_fault(&lazy, at));
	assert_int_equal(lazy.faults, GIB / PAGE_SIZE);
	assert_int_equal(pool.used, used);
}

/* --- two VMIDs --- */

/* A change removes the TLB entries of both VMIDs, whichever is current. */
TEST(a_change_reaches_both_vmids)
{
	for (unsigned switches = 1; switches <= 2; switches++) {
		begin(STAGE2_2M);
		map(0, 0, 4 * MIB);
		for (unsigned i = 0; i < switches; i++) {
			stage2_switch_vmid(&stage2, false);
			dsb_ish(); /* the table walkers look */
		}
		map(2 * MIB, 8 * MIB, 2 * MIB);  /* another block */
		map(2 * MIB, 0, PAGE_SIZE);      /* a block becomes a table */
		map(2 * MIB, 16 * MIB, 2 * MIB); /* and a block again */
		assert_true(pagetable_unmap(&stage2.table, 0, 2 * MIB));
		assert_tlb_clean();
		assert_int_equal(read_vttbr_el2(), stage2_vttbr(&stage2));
	}
}

TEST(one_vmid_is_maintained_once)
{
	unsigned before;

	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	before = fake_counts.tlbi_guest_ipa;
	assert_true(pagetable_unmap(&stage2.table, 0, 2 * MIB));
	assert_int_equal(fake_counts.tlbi_guest_ipa, before + 1);
}

TEST(a_reset_forgets_both_vmids)
{
	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	stage2_switch_vmid(&stage2, false);
	dsb_ish();
	stage2_reset(&stage2, VMID, STAGE2_4K, &pool, root);
	assert_tlb_clean();
	assert_int_equal(read_vttbr_el2(), (uint64_t)VMID << 48 | (uintptr_t)root);
}
