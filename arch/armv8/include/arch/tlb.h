/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance. Every function completes before it returns (dsb, isb). The tlbi_guest_*
 * functions are for EL2 and act on the VMID in VTTBR_EL2; the tlbi_el1_* ones are for EL1.
 */
#pragma once

#include "arch/barrier.h"
#include "arch/types.h"

#define TLBI(name, dsb, operation)                                                                 \
	static inline void name(void)                                                              \
	{                                                                                          \
		dsb();                                                                             \
		__asm__ volatile("tlbi " operation : : : "memory");                                \
		dsb();                                                                             \
		isb();                                                                             \
	}

TLBI(tlbi_el2_all, dsb_ish, "alle2is")         /* EL2's own stage 1 */
TLBI(tlbi_all_guests, dsb_ish, "alle1is")      /* stage 1 and 2 of every VMID */
TLBI(tlbi_guest_vmid, dsb_ish, "vmalls12e1is") /* stage 1 and 2 of the current VMID */

/* The same, for this core alone. */
TLBI(tlbi_core_el2, dsb_nsh, "alle2")
TLBI(tlbi_core_guests, dsb_nsh, "alle1")
TLBI(tlbi_core_guest_vmid, dsb_nsh, "vmalls12e1")

/* Stage 1 of the current VMID. */
TLBI(tlbi_guest_stage1, dsb_ish, "vmalle1is")

/* Stage 2 of one IPA of the current VMID, and stage 1 of the VMID, which may hold combined
 * entries (Arm ARM D8.14). */
static inline void tlbi_guest_ipa(ipa_t ipa)
{
	dsb_ish();
	__asm__ volatile("tlbi ipas2e1is, %0" : : "r"(ipa >> 12) : "memory");
	tlbi_guest_stage1();
}

/* At EL1: all of stage 1. */
TLBI(tlbi_el1_all, dsb_ish, "vmalle1")

/* At EL1: the stage-1 entries of one VA, all ASIDs. */
static inline void tlbi_el1_va(va_t va)
{
	dsb_ish();
	__asm__ volatile("tlbi vaae1, %0" : : "r"(va >> 12) : "memory");
	dsb_ish();
	isb();
}
