/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/mem/stage2.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "hyp/cpu/errata.h"

#define VTTBR_VMID_SHIFT 48
#define EMPTY_VMID 0x7fu /* no VM has this VMID, or its twin */

static const pte_t attributes_of[] = {
	[STAGE2_NORMAL] = S2_MEMATTR_NORMAL | S2_AP_RW | PTE_SH_INNER | PTE_AF,
	[STAGE2_DEVICE] = S2_MEMATTR_DEVICE | S2_AP_RW | PTE_AF | PTE_XN,
	[STAGE2_CODE] = S2_MEMATTR_NORMAL | S2_AP_RO | PTE_SH_INNER | PTE_AF,
	[STAGE2_DATA] = S2_MEMATTR_NORMAL | S2_AP_RO | PTE_SH_INNER | PTE_AF | PTE_XN,
};

uint64_t stage2_vttbr(const struct stage2 *stage2)
{
	return (uintptr_t)stage2->table.root | (uint64_t)stage2->vmid << VTTBR_VMID_SHIFT;
}

uint64_t stage2_empty_vttbr(void)
{
	static const pte_t empty[STAGE2_INPUT_GIB] __attribute__((aligned(64)));

	return (uintptr_t)empty | (uint64_t)EMPTY_VMID << VTTBR_VMID_SHIFT;
}

static uint64_t twin_vttbr(const struct stage2 *stage2)
{
	return stage2_vttbr(stage2) ^ (uint64_t)STAGE2_VMID_TWIN << VTTBR_VMID_SHIFT;
}

static void invalidate_under(const struct stage2 *stage2, uint64_t vttbr, uint64_t ipa,
			     bool subtree)
{
	write_vttbr_el2(vttbr);
	isb();
	if (subtree || (ISA_TLBI_INCOMPLETE && stage2->this_core)) /* A15 has no TLBI by IPA */
		stage2_tlbi_vmid(stage2);
	else
		tlbi_guest_ipa(ipa);
}

/*
 * `table` is the first member of struct stage2. TLB maintenance acts on the current VMID. The entry
 * is already invalid for walks under both VMIDs, and remains so until both are done.
 */
static void invalidate(struct pagetable *table, uint64_t ipa, bool subtree)
{
	const struct stage2 *stage2 = (const struct stage2 *)table;
	uint64_t current = read_vttbr_el2();

	invalidate_under(stage2, stage2_vttbr(stage2), ipa, subtree);
	if (stage2->twin_used)
		invalidate_under(stage2, twin_vttbr(stage2), ipa, subtree);
	write_vttbr_el2(current);
	isb();
}

void stage2_reset(struct stage2 *stage2, uint8_t vmid, enum stage2_grain grain,
		  struct page_pool *pool, pte_t *root)
{
	*stage2 = (struct stage2){
		.table = {
			.root = root,
			.root_entries = STAGE2_INPUT_GIB,
			.block_level = 3 - (grain - STAGE2_4K),
			.pool = pool,
			.invalidate = invalidate,
		},
		.vmid = vmid,
		.this_core = errata_tlbi_this_core(),
	};
	pagetable_reset(&stage2->table);
	invalidate_under(stage2, twin_vttbr(stage2), 0, true);
	invalidate_under(stage2, stage2_vttbr(stage2), 0, true);
}

void stage2_switch_vmid(struct stage2 *stage2, bool flush)
{
	stage2->vmid ^= STAGE2_VMID_TWIN;
	stage2->twin_used = true;
	write_vttbr_el2(stage2_vttbr(stage2));
	isb();
	if (flush)
		stage2_tlbi_vmid(stage2);
}

bool stage2_map(struct stage2 *stage2, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	bool done = pagetable_map(&stage2->table, ipa, pa, size, attributes_of[memory]);

	dsb_ishst();
	isb();
	return done;
}

bool stage2_map_leaf(struct stage2 *stage2, ipa_t ipa, pa_t pa, unsigned level,
		     enum stage2_memory memory)
{
	bool done = pagetable_map_leaf(&stage2->table, ipa, pa, level, attributes_of[memory]);

	dsb_ishst();
	isb();
	return done;
}

pte_t *stage2_filler(struct stage2 *stage2, pa_t page)
{
	return pagetable_filler(&stage2->table, page, attributes_of[STAGE2_DATA]);
}

bool stage2_fill(struct stage2 *stage2, ipa_t ipa, uint64_t size, pte_t *filler)
{
	bool done = pagetable_fill(&stage2->table, ipa, size, filler);

	dsb_ishst();
	isb();
	return done;
}
