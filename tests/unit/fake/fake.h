/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that unit tests run on: what arch/ (in this folder) does instead of the hardware,
 * and how a test looks into it. It is stricter than the hardware: what is only wrong sometimes on
 * a core, and what a core would quietly ignore, fails the test here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Back to the state after power-on: registers 0, counts 0, no hooks, no watched table. */
void fake_reset(void);

/* Barriers executed, by name. */
#define FAKE_BARRIERS(X)                                                                           \
	X(isb)                                                                                     \
	X(dsb_sy) X(dsb_ish) X(dsb_ishst) X(dsb_nsh) X(wfi) X(wfe) X(sev)
struct fake_barriers {
#define X(name) unsigned name;
	FAKE_BARRIERS(X)
#undef X
};
extern struct fake_barriers fake_barriers;

/* Device accesses go to these; without a hook, or misaligned, they fail the test. */
struct fake_mmio {
	uint64_t (*read)(uintptr_t address, unsigned size);
	void (*write)(uintptr_t address, unsigned size, uint64_t value);
};
extern struct fake_mmio fake_mmio;

/* System registers go here first: true where one is theirs. Without a hook all are variables. */
struct fake_sysregs {
	bool (*read)(const uint64_t *variable, uint64_t *value);
	bool (*write)(const uint64_t *variable, uint64_t value);
};
extern struct fake_sysregs fake_sysregs;

/* Cache maintenance by set and way goes here; without a hook it fails the test. */
extern void (*fake_set_way)(uint32_t level_set_way);

/* Cache maintenance by address goes here, where there is such a hook. */
extern void (*fake_by_address)(uintptr_t start, size_t size);

/* A semihosting exit goes here, where there is such a hook. */
extern void (*fake_semihosting)(unsigned code);

/* Added to CNTPCT by each read of it. 1 after a reset. */
extern uint64_t fake_counter_step;

extern uint32_t fake_asked; /* bit n: smp_ask(n) */

struct fake_counts {
	unsigned sysreg_writes;
	unsigned icache_all, icache_core;
	unsigned tlbi_el2_all, tlbi_all_guests, tlbi_guest_vmid, tlbi_guest_ipa;
	unsigned tlbi_core_el2, tlbi_core_guests, tlbi_core_guest_vmid;
};
extern struct fake_counts fake_counts;

/*
 * A TLB at its worst. It watches one three-level table with its root at `root` (4 KiB granule,
 * start at level 1) and, at every dsb and TLB maintenance, caches every entry it can reach, tables
 * too, and forgets none by itself.
 *
 * Conflicts are break-before-make violations: a reachable entry contradicts a cached one.
 * Stale entries are cached and no longer in the table: maintenance that was forgotten or came too
 * early. Unpublished entries are in the table and came after the last dsb.
 *
 * What it caches carries the VMID that VTTBR_EL2 held with the table at the last isb (without the
 * table: all VMIDs), and maintenance by VMID leaves that of others alone. tlbi_guest_* work on the
 * table only when VTTBR_EL2 held it at the last isb. The table's memory
 * must come from fake_pages(), as a descriptor holds 40 bits of an address.
 */
void fake_tlb_watch(const uint64_t *root, unsigned root_entries);
unsigned fake_tlb_conflicts(void);
unsigned fake_tlb_stale(void);
unsigned fake_tlb_unpublished(void);

/* Zeroed pages of 4 KiB below 2^31. Lives until the next fake_reset(). */
void *fake_pages(size_t count);
