/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance (DDI 0406C B4.2.2). Every function completes before it returns (dsb, isb). The
 * tlbi_guest_* functions are for HYP and act on the VMID in VTTBR; the tlbi_el1_* ones are for
 * PL1.
 */
#pragma once

#include "arch/barrier.h"
#include "arch/types.h"

#define TLBI(name, encoding)                                                                       \
	static inline void name(reg_t argument)                                                    \
	{                                                                                          \
		dsb_ish();                                                                         \
		__asm__ volatile("mcr " encoding : : "r"(argument) : "memory");                    \
		dsb_ish();                                                                         \
		isb();                                                                             \
	}

TLBI(tlbi_write_allhis, "p15, 4, %0, c8, c3, 0")
TLBI(tlbi_write_allnsnhis, "p15, 4, %0, c8, c3, 4")
TLBI(tlbi_write_allh, "p15, 4, %0, c8, c7, 0")
TLBI(tlbi_write_allnsnh, "p15, 4, %0, c8, c7, 4")
TLBI(tlbi_write_allis, "p15, 0, %0, c8, c3, 0")
TLBI(tlbi_write_all, "p15, 0, %0, c8, c7, 0")
TLBI(tlbi_write_mvaa, "p15, 0, %0, c8, c7, 3")

/* HYP's own stage 1. */
static inline void tlbi_el2_all(void)
{
	tlbi_write_allhis(0);
}

/* Stage 1 and 2 of every VMID. */
static inline void tlbi_all_guests(void)
{
	tlbi_write_allnsnhis(0);
}

/* Stage 1 and 2 of the current VMID: what TLBIALLIS means when HYP executes it (B3.10.5). */
static inline void tlbi_guest_vmid(void)
{
	tlbi_write_allis(0);
}

/* Stage 2 of one IPA of the current VMID: Armv7 has no operation by IPA, so all of the VMID. */
static inline void tlbi_guest_ipa(ipa_t ipa)
{
	(void)ipa;
	tlbi_guest_vmid();
}

/* The first three, for this core alone. */
static inline void tlbi_core_el2(void)
{
	tlbi_write_allh(0);
}

static inline void tlbi_core_guests(void)
{
	tlbi_write_allnsnh(0);
}

static inline void tlbi_core_guest_vmid(void)
{
	tlbi_write_all(0);
}

/* At PL1: all of stage 1. */
static inline void tlbi_el1_all(void)
{
	tlbi_write_all(0);
}

/* At PL1: the stage-1 entries of one VA, all ASIDs. */
static inline void tlbi_el1_va(va_t va)
{
	tlbi_write_mvaa(va & ~(va_t)0xfff);
}
