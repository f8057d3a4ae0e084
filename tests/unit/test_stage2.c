/* SPDX-License-Identifier: Apache-2.0 */
/* Stage 2 of a VM; its tables as such are test_pagetable.c's. */
/* LINK: hyp/cpu/errata.c hyp/base/record.c hyp/mem/stage2.c hyp/mem/stage2_lazy.c */
/* LINK: hyp/mem/guest_ram.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/mem/stage2.h"
#include "hyp/mem/stage2_lazy.h"
#include "tests/unit/fake/fake.h"

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

/* Nothing contradicts, nothing old is left, and what was mapped can be seen. */
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

static void a_reset_makes_it_the_current_one(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	assert_int_equal(stage2_vttbr(&stage2), (uint64_t)VMID << 48 | (uintptr_t)root);
	assert_int_equal(read_vttbr_el2(), stage2_vttbr(&stage2));
	assert_true(fake_barriers.isb > 0);
}

static void a_reset_forgets_what_its_vmid_had(void **state)
{
	struct pagetable_leaf leaf;

	(void)state;
	begin(STAGE2_4K);
	map(0, 0, 2 * MIB);
	stage2_reset(&stage2, VMID, STAGE2_4K, &pool, root);
	assert_tlb_clean();
	assert_false(pagetable_walk(&stage2.table, 0, &leaf));
	assert_int_equal(pool.used, 0);
}

static void the_grain_is_the_largest_leaf(void **state)
{
	(void)state;
	begin(STAGE2_4K);
	map(0, GIB, 2 * MIB);
	assert_maps(0, GIB, 3);
	begin(STAGE2_2M);
	map(0, GIB, GIB);
	assert_maps(0, GIB, 2);
	begin(STAGE2_1G);
	map(0, GIB, GIB);
	assert_maps(0, GIB, 1);
}

static pte_t attributes_at(ipa_t ipa)
{
	struct pagetable_leaf leaf;

	assert_true(pagetable_walk(&stage2.table, ipa, &leaf));
	return leaf.attributes;
}

/* In numbers, by DDI 0487 D8.3.2: AF 10, SH 9:8, S2AP 7:6, MemAttr 5:2, XN 54. */
static void memory_has_its_attributes(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	assert_true(stage2_map(&stage2, 0, 0, PAGE_SIZE, STAGE2_NORMAL));
	assert_true(stage2_map(&stage2, PAGE_SIZE, 0, PAGE_SIZE, STAGE2_DEVICE));
	assert_int_equal(attributes_at(0), 1 << 10 | 3 << 8 | 3 << 6 | 0xf << 2);
	assert_int_equal(attributes_at(PAGE_SIZE), 1ull << 54 | 1 << 10 | 3 << 6 | 0x1 << 2);
}

static void the_guest_sees_a_new_mapping_on_return(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	map(2 * MIB, 4 * MIB, 2 * MIB);
	assert_true(fake_barriers.dsb_ishst > 0);
}

static void the_guest_sees_a_change_on_return(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	map(2 * MIB, 4 * MIB, 2 * MIB);
	map(2 * MIB, 8 * MIB, 2 * MIB);         /* another block */
	map(2 * MIB + PAGE_SIZE, 0, PAGE_SIZE); /* a block made a table */
	map(2 * MIB, 4 * MIB, 2 * MIB);         /* and a block again */
	assert_maps(2 * MIB + PAGE_SIZE, 4 * MIB + PAGE_SIZE, 2);
}

static void the_guest_sees_an_unmapping_on_return(void **state)
{
	struct pagetable_leaf leaf;

	(void)state;
	begin(STAGE2_2M);
	map(0, 0, 4 * MIB);
	assert_true(pagetable_unmap(&stage2.table, 2 * MIB, PAGE_SIZE));
	assert_tlb_clean();
	assert_true(pagetable_unmap(&stage2.table, 0, 4 * MIB));
	assert_tlb_clean();
	assert_false(pagetable_walk(&stage2.table, 0, &leaf));
}

/* Maintenance acts on the current VMID, and that may be another VM's. */
static void a_vm_that_does_not_run_is_changed_in_its_own_vmid(void **state)
{
	const uint64_t other = 7ull << 48 | 0x12345000;

	(void)state;
	begin(STAGE2_2M);
	map(2 * MIB, 4 * MIB, 2 * MIB);
	write_vttbr_el2(other);
	isb();
	map(2 * MIB, 8 * MIB, 2 * MIB);
	assert_true(pagetable_unmap(&stage2.table, 2 * MIB, 2 * MIB));
	assert_tlb_clean();
	assert_int_equal(read_vttbr_el2(), other);
}

static void errors_are_reported(void **state)
{
	(void)state;
	begin(STAGE2_4K);
	assert_false(stage2_map(&stage2, 1, 0, PAGE_SIZE, STAGE2_NORMAL));
	assert_false(stage2_map(&stage2, STAGE2_INPUT_GIB * GIB, 0, PAGE_SIZE, STAGE2_NORMAL));
	assert_false(pagetable_unmap(&stage2.table, 0, 0));
	assert_false(stage2_map(&stage2, 0, 0, GIB, STAGE2_NORMAL)); /* 8 tables do not do */
	assert_tlb_clean();
}

/* --- filled lazily --- */

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

static void a_first_touch_maps_a_leaf_of_the_grain(void **state)
{
	static const unsigned level[] = { [STAGE2_4K] = 3, [STAGE2_2M] = 2, [STAGE2_1G] = 1 };

	(void)state;
	for (enum stage2_grain grain = STAGE2_4K; grain <= STAGE2_1G; grain++) {
		begin_lazily(grain, 2 * GIB, GIB);
		touch(2 * GIB + 5 * MIB + 123);
		assert_maps(2 * GIB + 5 * MIB, 2 * GIB + 5 * MIB, level[grain]);
		assert_int_equal(attributes_at(2 * GIB + 5 * MIB),
				 1 << 10 | 3 << 8 | 3 << 6 | 0xf << 2);
	}
}

/* RAM from 1 MiB on, which ends in a block: only 4 KiB leaves hold nothing else there. */
static void a_leaf_holds_nothing_but_memory(void **state)
{
	struct pagetable_leaf leaf;

	(void)state;
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

static void what_is_unmapped_leaves_the_tlbs_and_comes_back(void **state)
{
	struct pagetable_leaf leaf;

	(void)state;
	for (enum stage2_grain grain = STAGE2_4K; grain <= STAGE2_1G; grain++) {
		unsigned used;

		begin_lazily(grain, 2 * GIB, GIB);
		touch(2 * GIB + 5 * MIB);
		used = pool.used;
		for (unsigned i = 0; i < 20; i++) {
			assert_true(stage2_lazy_unmap(&lazy, 2 * GIB + 5 * MIB + 0xfff));
			assert_tlb_clean();
			assert_false(pagetable_walk(&stage2.table, 2 * GIB + 5 * MIB, &leaf));
			assert_false(stage2_lazy_unmap(&lazy, 2 * GIB + 5 * MIB));
			touch(2 * GIB + 5 * MIB);
		}
		assert_int_equal(pool.used, used); /* no table is lost on the way */
	}
}

/* A table for 1 GiB of 2 MiB blocks, and one for each of them: as many as eager filling takes. */
static void all_memory_takes_the_tables_of_eager_filling(void **state)
{
	unsigned used;

	(void)state;
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

/* The planted fault: maintenance while another VMID is current. */
static void an_invalidation_in_the_wrong_vmid_is_found(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	map(2 * MIB, 4 * MIB, 2 * MIB);
	write_vttbr_el2(7ull << 48 | 0x12345000);
	isb();
	((pte_t *)(void *)pool.base)[1] = 0;
	tlbi_guest_ipa(2 * MIB);
	assert_int_equal(fake_tlb_stale(), 1);
}

/* --- two VMIDs --- */

static void a_switch_changes_the_vmid_alone(void **state)
{
	uint64_t before;

	(void)state;
	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	before = read_vttbr_el2();
	stage2_switch_vmid(&stage2, false);
	assert_int_equal(read_vttbr_el2(), before ^ (uint64_t)STAGE2_VMID_TWIN << 48);
	assert_int_equal(stage2_vttbr(&stage2), read_vttbr_el2());
	assert_maps(0, 0, 2);
	stage2_switch_vmid(&stage2, false);
	assert_int_equal(read_vttbr_el2(), before);
	assert_tlb_clean();
}

static void a_switch_flushes_when_asked(void **state)
{
	unsigned before;

	(void)state;
	begin(STAGE2_2M);
	before = fake_counts.tlbi_guest_vmid;
	stage2_switch_vmid(&stage2, false);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before);
	stage2_switch_vmid(&stage2, true);
	assert_int_equal(fake_counts.tlbi_guest_vmid, before + 1);
}

/* The TLBs' entries under both VMIDs go, whichever is current. */
static void a_change_reaches_both_vmids(void **state)
{
	(void)state;
	for (unsigned switches = 1; switches <= 2; switches++) {
		begin(STAGE2_2M);
		map(0, 0, 4 * MIB);
		for (unsigned i = 0; i < switches; i++) {
			stage2_switch_vmid(&stage2, false);
			dsb_ish(); /* the walkers look */
		}
		map(2 * MIB, 8 * MIB, 2 * MIB);  /* another block */
		map(2 * MIB, 0, PAGE_SIZE);      /* a block made a table */
		map(2 * MIB, 16 * MIB, 2 * MIB); /* and a block again */
		assert_true(pagetable_unmap(&stage2.table, 0, 2 * MIB));
		assert_tlb_clean();
		assert_int_equal(read_vttbr_el2(), stage2_vttbr(&stage2));
	}
}

static void one_vmid_is_maintained_once(void **state)
{
	unsigned before;

	(void)state;
	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	before = fake_counts.tlbi_guest_ipa;
	assert_true(pagetable_unmap(&stage2.table, 0, 2 * MIB));
	assert_int_equal(fake_counts.tlbi_guest_ipa, before + 1);
}

static void a_reset_forgets_both_vmids(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	stage2_switch_vmid(&stage2, false);
	dsb_ish();
	stage2_reset(&stage2, VMID, STAGE2_4K, &pool, root);
	assert_tlb_clean();
	assert_int_equal(read_vttbr_el2(), (uint64_t)VMID << 48 | (uintptr_t)root);
}

/* The planted fault: the twin was current, and maintenance does not know. */
static void a_vmid_that_is_left_out_is_found(void **state)
{
	(void)state;
	begin(STAGE2_2M);
	map(0, 0, 2 * MIB);
	stage2_switch_vmid(&stage2, false);
	dsb_ish();
	stage2.twin_used = false;
	assert_true(pagetable_unmap(&stage2.table, 0, 2 * MIB));
	assert_int_equal(fake_tlb_stale(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reset_makes_it_the_current_one),
		cmocka_unit_test(a_reset_forgets_what_its_vmid_had),
		cmocka_unit_test(the_grain_is_the_largest_leaf),
		cmocka_unit_test(memory_has_its_attributes),
		cmocka_unit_test(the_guest_sees_a_new_mapping_on_return),
		cmocka_unit_test(the_guest_sees_a_change_on_return),
		cmocka_unit_test(the_guest_sees_an_unmapping_on_return),
		cmocka_unit_test(a_vm_that_does_not_run_is_changed_in_its_own_vmid),
		cmocka_unit_test(errors_are_reported),
		cmocka_unit_test(a_first_touch_maps_a_leaf_of_the_grain),
		cmocka_unit_test(a_leaf_holds_nothing_but_memory),
		cmocka_unit_test(what_is_unmapped_leaves_the_tlbs_and_comes_back),
		cmocka_unit_test(all_memory_takes_the_tables_of_eager_filling),
		cmocka_unit_test(an_invalidation_in_the_wrong_vmid_is_found),
		cmocka_unit_test(a_switch_changes_the_vmid_alone),
		cmocka_unit_test(a_switch_flushes_when_asked),
		cmocka_unit_test(a_change_reaches_both_vmids),
		cmocka_unit_test(one_vmid_is_maintained_once),
		cmocka_unit_test(a_reset_forgets_both_vmids),
		cmocka_unit_test(a_vmid_that_is_left_out_is_found),
	};

	return cmocka_run_group_tests_name("stage2", tests, NULL, NULL);
}
