/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A variable with a copy for each core. Each core's EL2 tables map the variable's section at the
 * same address to another physical page (hyp/cpu/mmu.c), so an access costs no more than to any
 * other variable. The variable is zero at the start, because the section has no contents. A pointer
 * to the variable must never go to another core, where it would point to that core's copy;
 * hyp/cpu/percpu.h reaches another core's copy. In the guest, which has one core, the variable is
 * an ordinary one.
 */
#pragma once

#define CORE_MAX 4 /* linker/hyp.ld.S has the same number */

#define PERCPU __attribute__((section(".bss.percore")))

/* A variable that most exits or switches read. These variables share the first cache line. */
#define PERCPU_HOT __attribute__((section(".bss.percore.hot")))

/* One more hot variable, placed after the others: its first members share the cache line. */
#define PERCPU_HOT_LAST __attribute__((section(".bss.percore.hot_last")))
