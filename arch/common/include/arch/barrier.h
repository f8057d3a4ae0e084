/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, by name (DDI 0487 B2.3.12, DDI 0406C A3.8.3). Each is also a compiler barrier. */
#pragma once

#define BARRIER(name, text)                                                                        \
	static inline void name(void)                                                              \
	{                                                                                          \
		__asm__ volatile(text : : : "memory");                                             \
	}

BARRIER(isb, "isb")
BARRIER(dsb_sy, "dsb sy")       /* complete for the whole system, including devices */
BARRIER(dsb_ish, "dsb ish")     /* complete for all cores that share memory with this core */
BARRIER(dsb_ishst, "dsb ishst") /* only stores: page-table updates */
BARRIER(dsb_nsh, "dsb nsh")     /* this core only */
BARRIER(wfi, "wfi")
BARRIER(wfe, "wfe")
BARRIER(sev, "sev")
BARRIER(cpu_relax, "yield") /* in every wait for another core: an emulator then runs that core */
