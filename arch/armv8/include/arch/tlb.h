/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance. Every function completes before it returns (dsb, isb). The tlbi_guest_*
 * functions are for EL2 and act on the VMID in VTTBR_EL2; the tlbi_el1_* ones are for EL1.
 */
#pragma once

#include "arch/barrier.h"
#include "arch/types.h"

/* EL2's own stage 1. */
static inline void tlbi_el2_all(void)
{
	dsb_ish();
	__asm__ volatile("tlbi alle2is" : : : "memory");
	dsb_ish();
	isb();
}

/* Stage 1 and 2 of every VMID. */
static inline void tlbi_all_guests(void)
{
	dsb_ish();
	__asm__ volatile("tlbi alle1is" : : : "memory");
	dsb_ish();
	isb();
}

/* Stage 1 and 2 of the current VMID. */
static inline void tlbi_guest_vmid(void)
{
	dsb_ish();
	__asm__ volatile("tlbi vmalls12e1is" : : : "memory");
	dsb_ish();
	isb();
}

/* Stage 2 of one IPA of the current VMID, and stage 1 of the VMID, which may hold combined
 * entries (Arm ARM D8.14). */
static inline void tlbi_guest_ipa(ipa_t ipa)
{
	dsb_ish();
	__asm__ volatile("tlbi ipas2e1is, %0" : : "r"(ipa >> 12) : "memory");
	dsb_ish();
	__asm__ volatile("tlbi vmalle1is" : : : "memory");
	dsb_ish();
	isb();
}

/* The first three, for this core alone. */
static inline void tlbi_core_el2(void)
{
	dsb_nsh();
	__asm__ volatile("tlbi alle2" : : : "memory");
	dsb_nsh();
	isb();
}

static inline void tlbi_core_guests(void)
{
	dsb_nsh();
	__asm__ volatile("tlbi alle1" : : : "memory");
	dsb_nsh();
	isb();
}

static inline void tlbi_core_guest_vmid(void)
{
	dsb_nsh();
	__asm__ volatile("tlbi vmalls12e1" : : : "memory");
	dsb_nsh();
	isb();
}

/* At EL1: all of stage 1. */
static inline void tlbi_el1_all(void)
{
	dsb_ish();
	__asm__ volatile("tlbi vmalle1" : : : "memory");
	dsb_ish();
	isb();
}

/* At EL1: the stage-1 entries of one VA, all ASIDs. */
static inline void tlbi_el1_va(va_t va)
{
	dsb_ish();
	__asm__ volatile("tlbi vaae1, %0" : : "r"(va >> 12) : "memory");
	dsb_ish();
	isb();
}
