/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance. Every function completes before it returns (dsb, isb). The tlbi_guest_*
 * functions are for EL2 and act on the VMID in VTTBR_EL2; the tlbi_el1_* functions are for EL1.
 */
#pragma once

#include "arch/maintenance.h"

MAINTENANCE(tlbi_el2_all, dsb_ish, "tlbi alle2is")         /* EL2's own stage 1 */
MAINTENANCE(tlbi_all_guests, dsb_ish, "tlbi alle1is")      /* stage 1 and 2 of every VMID */
MAINTENANCE(tlbi_guest_vmid, dsb_ish, "tlbi vmalls12e1is") /* stage 1 and 2 of this VMID */
MAINTENANCE(tlbi_guest_stage1, dsb_ish, "tlbi vmalle1is")  /* stage 1 of this VMID */
MAINTENANCE(tlbi_el1_all, dsb_ish, "tlbi vmalle1")         /* at EL1: all of stage 1 */

/* The first three operations for this core only. */
MAINTENANCE(tlbi_core_el2, dsb_nsh, "tlbi alle2")
MAINTENANCE(tlbi_core_guests, dsb_nsh, "tlbi alle1")
MAINTENANCE(tlbi_core_guest_vmid, dsb_nsh, "tlbi vmalls12e1")

/* Invalidate stage 2 of one IPA of the current VMID, and stage 1 of the VMID, which may hold
 * combined entries (Arm ARM D8.14). */
static inline void tlbi_guest_ipa(ipa_t ipa)
{
	dsb_ish();
	__asm__ volatile("tlbi ipas2e1is, %0" : : "r"(ipa >> 12) : "memory");
	tlbi_guest_stage1();
}

/* At EL1: invalidate the stage-1 entries of one VA, for all ASIDs. */
static inline void tlbi_el1_va(va_t va)
{
	dsb_ish();
	__asm__ volatile("tlbi vaae1, %0" : : "r"(va >> 12) : "memory");
	dsb_ish();
	isb();
}
