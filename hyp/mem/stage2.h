/* SPDX-License-Identifier: Apache-2.0 */
/* Stage-2 translation of one VM: IPA to PA, 4 GiB of input, start level 1 (DDI 0487 D8.2,
 * DDI 0406C B3.6). The tables themselves are lib/pagetable's. */
#pragma once

#include "abi/run_config.h"
#include "arch/errata.h"
#include "arch/tlb.h"
#include "arch/types.h"
#include "lib/pagetable.h"

#define STAGE2_INPUT_GIB 4u

/*
 * A VM has two VMIDs with one set of tables: that it goes on under the other one is what a switch
 * to another VM means to the TLBs, and nothing else. A change of an entry must reach both.
 */
#define STAGE2_VMID_TWIN 0x80u /* apart from every VM's own */

struct stage2 {
	struct pagetable table;
	uint8_t vmid;   /* the current one */
	bool twin_used; /* the other one was ever current: the TLBs may hold entries of it */
	bool this_core; /* TLB maintenance reaches no other core: see stage2_tlbi_vmid() */
};

enum stage2_memory {
	STAGE2_NORMAL, /* read, write, execute; caching as the guest's stage 1 says */
	STAGE2_DEVICE, /* read and write, Device-nGnRE, never executed */
	STAGE2_CODE,   /* as NORMAL, but never written */
	STAGE2_DATA,   /* as CODE, but never executed */
};

/*
 * What the TLBs hold of the current VMID, or of all, is gone: in every core, or in this one.
 * Cortex-A15 erratum 798181: another core may still use what a broadcast was to invalidate, though
 * the DSB behind it is complete. Where a VM runs on one core only, no other one's TLB is asked
 * about, so that maintenance of this core is enough; on more, each does its own.
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

/* What VTTBR_EL2 holds for this VM; for a stage 2 that translates nothing. */
uint64_t stage2_vttbr(const struct stage2 *stage2);
uint64_t stage2_empty_vttbr(void);

/* An empty stage 2 with leaves of up to `grain` (not STAGE2_OFF), which becomes the current one;
 * TLB entries of both its VMIDs are gone. */
void stage2_reset(struct stage2 *stage2, uint8_t vmid, enum stage2_grain grain,
		  struct page_pool *pool, pte_t *root);

/* As pagetable_map and pagetable_unmap; on return the guest sees the change. Errors likewise. */
bool stage2_map(struct stage2 *stage2, ipa_t ipa, pa_t pa, uint64_t size,
		enum stage2_memory memory);
/* As pagetable_fill(), for reading. */
bool stage2_fill(struct stage2 *stage2, ipa_t ipa, uint64_t size, pa_t page);
bool stage2_unmap(struct stage2 *stage2, ipa_t ipa, uint64_t size);

/*
 * A page that was mapped as one is no longer, for good, and this core's TLB has it no longer. By
 * any number of cores at a time, beside one that changes what is not in the page's own 2 MiB: of
 * the tables only the page's entry is written, and a second time with the same.
 */
void stage2_drop_page(struct stage2 *stage2, ipa_t ipa);

/* False where nothing is mapped. */
bool stage2_walk(const struct stage2 *stage2, ipa_t ipa, struct pagetable_leaf *leaf);

/* The current stage 2 goes on under its other VMID. flush: what the TLBs hold of that one goes. */
void stage2_switch_vmid(struct stage2 *stage2, bool flush);
