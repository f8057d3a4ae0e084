/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance (DDI 0406C B4.2.2). Every function completes before it returns (dsb, isb). The
 * tlbi_guest_* functions are for HYP mode and act on the VMID in VTTBR; the tlbi_el1_* functions
 * are for PL1.
 */
#pragma once

#include "arch/maintenance.h"

MAINTENANCE(tlbi_el2_all, dsb_ish, "mcr p15, 4, %0, c8, c3, 0")    /* HYP mode's own stage 1 */
MAINTENANCE(tlbi_all_guests, dsb_ish, "mcr p15, 4, %0, c8, c3, 4") /* stage 1, 2 of every VMID */
/* Stage 1 and 2 of the current VMID: TLBIALLIS, executed in HYP mode (B3.10.5) */
MAINTENANCE(tlbi_guest_vmid, dsb_ish, "mcr p15, 0, %0, c8, c3, 0")
MAINTENANCE(tlbi_el1_all, dsb_ish, "mcr p15, 0, %0, c8, c7, 0") /* at PL1: all of stage 1 */

/* The first three operations for this core only. */
MAINTENANCE(tlbi_core_el2, dsb_ish, "mcr p15, 4, %0, c8, c7, 0")
MAINTENANCE(tlbi_core_guests, dsb_ish, "mcr p15, 4, %0, c8, c7, 4")
MAINTENANCE(tlbi_core_guest_vmid, dsb_ish, "mcr p15, 0, %0, c8, c7, 0")

/*
 * Invalidate stage 2 of one IPA. Armv7 has no operation by IPA, so invalidate all of the current
 * VMID.
 */
static inline void tlbi_guest_ipa(ipa_t ipa)
{
	(void)ipa;
	tlbi_guest_vmid();
}

/* At PL1: invalidate the stage-1 entries of one VA, for all ASIDs. */
static inline void tlbi_el1_va(va_t va)
{
	dsb_ish();
	__asm__ volatile("mcr p15, 0, %0, c8, c7, 3" : : "r"(va & ~(va_t)0xfff) : "memory");
	dsb_ish();
	isb();
}
