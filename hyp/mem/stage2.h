/* SPDX-License-Identifier: Apache-2.0 */
/* Stage-2 translation of one VM: IPA to PA, 4 GiB of input, start level 1 (DDI 0487 D8.2, DDI 0406C
 * B3.6). lib/pagetable.h has the tables. */
#pragma once

#include "abi/run_config.h"
#include "arch/errata.h"
#include "arch/tlb.h"
#include "arch/types.h"
#include "lib/pagetable.h"

#define STAGE2_INPUT_GIB 4u

/*
 * A VM has two VMIDs with one set of tables: a change of the VMID acts on the TLBs like a VM
 * switch, and has no other effect. A change of an entry must reach both VMIDs.
 */
#define STAGE2_VMID_TWIN 0x80u /* no VM's own VMID has this bit */

struct stage2 {
	struct pagetable table;
	uint8_t vmid;   /* the current VMID */
	bool twin_used; /* the other VMID was current once, so the TLBs may hold its entries */
	bool this_core; /* TLB maintenance reaches only this core: see stage2_tlbi_vmid() */
};

enum stage2_memory {
	STAGE2_NORMAL, /* read, write, execute; cached as the guest's stage 1 demands */
	STAGE2_DEVICE, /* read and write, Device-nGnRE, never executed */
	STAGE2_CODE,   /* NORMAL without writes */
	STAGE2_DATA,   /* CODE without execution */
};

/*
 * Remove the TLB entries of the current VMID, or of all VMIDs, from every core or from this core.
 * Cortex-A15 erratum 798181: another core may use an entry even after the DSB of a broadcast that
 * invalidates it. For a VM on one core maintenance of this core is enough; with more cores, each
 * core does its own.
 */
static inline void stage2_tlbi_vmid(const struct stage2 *stage2)
{
	if (ISA_TLBI_INCOMPLETE && stage2->this_core)
		tlbi_core_guest_vmid();
	else
		tlbi_guest_vmid();
}

static inline void stage2_tlbi_all(const struct stage2 *stage2)
{
	if (ISA_TLBI_INCOMPLETE && stage2->this_core)
		tlbi_core_guests();
	else
		tlbi_all_guests();
}

/* Return VTTBR_EL2 of this VM; return VTTBR_EL2 of an empty stage 2. */
uint64_t stage2_vttbr(const struct stage2 *stage2);
uint64_t stage2_empty_vttbr(void);

/* Make an empty stage 2 with leaves of up to `grain` (not STAGE2_OFF), make it current, and remove
 * the TLB entries of both its VMIDs. */
void stage2_reset(struct stage2 *stage2, uint8_t vmid, enum stage2_grain grain,
		  struct page_pool *pool, pte_t *root);

/* Map like pagetable_map(), with the same errors. The guest sees the change on return. */
bool stage2_map(struct stage2 *stage2, ipa_t ipa, pa_t pa, uint64_t size,
		enum stage2_memory memory);
/* Map like pagetable_map_leaf(). */
bool stage2_map_leaf(struct stage2 *stage2, ipa_t ipa, pa_t pa, unsigned level,
		     enum stage2_memory memory);
/* Like pagetable_filler() and pagetable_fill(), with read-only pages. */
pte_t *stage2_filler(struct stage2 *stage2, pa_t page);
bool stage2_fill(struct stage2 *stage2, ipa_t ipa, uint64_t size, pte_t *filler);

/* Change the current stage 2 to its other VMID. flush: remove that VMID's TLB entries. */
void stage2_switch_vmid(struct stage2 *stage2, bool flush);
