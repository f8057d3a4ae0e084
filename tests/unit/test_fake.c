/* SPDX-License-Identifier: Apache-2.0 */
/* The fake machine itself: what it lets pass and what it must catch. */

#include "arch/sysreg_gicv3.h"
#include "arch/tlb.h"
#include "lib/lpae.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BLOCK (PTE_VALID | PTE_AF)
#define TABLE (PTE_VALID | PTE_TABLE)
#define PAGE (PTE_VALID | PTE_TABLE | PTE_AF)

static pte_t *root, *level2, *level3;

/* Level 1 entry 0 leads to level 2, whose entry 0 leads to level 3, and entry 1 is a block. */
static void setup(void)
{
	fake_reset();
	root = fake_pages(1);
	level2 = fake_pages(1);
	level3 = fake_pages(1);
	level3[0] = 0x1000 | PAGE;
	level3[1] = 0x2000 | PAGE;
	level2[0] = (uintptr_t)level3 | TABLE;
	level2[1] = 0x200000 | BLOCK;
	root[0] = (uintptr_t)level2 | TABLE;
	fake_tlb_watch(root, 4);
	write_vttbr_el2((uintptr_t)root | (reg_t)5 << 48);
	isb();
	dsb_ishst();
}

static void assert_tlb(unsigned conflicts, unsigned stale, unsigned unpublished)
{
	assert_int_equal(fake_tlb_conflicts(), conflicts);
	assert_int_equal(fake_tlb_stale(), stale);
	assert_int_equal(fake_tlb_unpublished(), unpublished);
}

EACH_TEST(setup, NULL);

TEST(a_new_entry_needs_a_dsb_and_no_invalidation)
{
	level3[7] = 0x7000 | PAGE;
	assert_tlb(0, 0, 1);
	dsb_ishst();
	assert_tlb(0, 0, 0);
}

TEST(a_change_without_break_is_a_conflict)
{
	level3[0] = 0x5000 | PAGE;
	tlbi_guest_ipa(0x0);
	assert_int_equal(fake_tlb_conflicts(), 1);
}

TEST(a_break_without_invalidation_is_a_conflict)
{
	level3[0] = 0;
	dsb_ishst();
	level3[0] = 0x5000 | PAGE;
	dsb_ishst();
	assert_int_equal(fake_tlb_conflicts(), 1);
}

TEST(an_unmapping_without_invalidation_is_stale)
{
	level3[1] = 0;
	dsb_ish();
	assert_tlb(0, 1, 0);
	tlbi_guest_ipa(0x0); /* another page's */
	assert_int_equal(fake_tlb_stale(), 1);
	tlbi_guest_ipa(0x1000);
	assert_int_equal(fake_tlb_stale(), 0);
}

TEST(an_invalidation_before_the_break_is_too_early)
{
	tlbi_guest_ipa(0x1000);
	level3[1] = 0;
	dsb_ish();
	assert_int_equal(fake_tlb_stale(), 1);
}

TEST(an_invalidation_in_another_vmid_does_nothing)
{
	write_vttbr_el2(0x12345000);
	isb();
	level3[1] = 0;
	tlbi_guest_vmid();
	assert_int_equal(fake_tlb_stale(), 1);
}

TEST(a_vmid_without_isb_is_not_in_effect)
{
	write_vttbr_el2(0x12345000);
	isb();
	write_vttbr_el2((uintptr_t)root | (reg_t)5 << 48);
	level3[1] = 0;
	tlbi_guest_vmid();
	assert_int_equal(fake_tlb_stale(), 1);
	tlbi_guest_vmid(); /* the first one ended with an isb */
	assert_int_equal(fake_tlb_stale(), 0);
}

TEST(an_invalidation_in_one_vmid_leaves_the_other)
{
	write_vttbr_el2((uintptr_t)root | (reg_t)6 << 48);
	isb();
	dsb_ish(); /* cached under both */
	level3[1] = 0;
	tlbi_guest_ipa(0x1000);
	assert_int_equal(fake_tlb_stale(), 1);
	tlbi_all_guests();
	assert_int_equal(fake_tlb_stale(), 0);
}

/* By address, only what translates this one address goes: a table's other pages stay. */
TEST(a_table_that_goes_needs_its_whole_vmid_invalidated)
{
	level2[0] = 0;
	tlbi_guest_ipa(0x0);
	assert_int_equal(fake_tlb_stale(), 1);
	level2[0] = 0x400000 | BLOCK;
	dsb_ishst();
	assert_int_equal(fake_tlb_conflicts(), 1);
}
