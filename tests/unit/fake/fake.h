/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake machine that unit tests run on: arch/ (in this folder) replaces the hardware, and this
 * header lets a test look into the machine. The machine is stricter than the hardware: an error
 * that only sometimes shows on a core, or that a core would quietly ignore, fails the test here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reset the machine to power-on: registers 0, counts 0, no hooks, no watched table. */
void fake_reset(void);

/* Number of executed barriers, by name. */
#define FAKE_BARRIERS(X)                                                                           \
	X(isb)                                                                                     \
	X(dsb_sy) X(dsb_ish) X(dsb_ishst) X(dsb_nsh) X(wfi) X(wfe) X(sev)
struct fake_barriers {
#define X(name) unsigned name;
	FAKE_BARRIERS(X)
#undef X
};
extern struct fake_barriers fake_barriers;

/* Hooks for device accesses. An access without a hook, or a misaligned one, fails the test. */
struct fake_mmio {
	uint64_t (*read)(uintptr_t address, unsigned size);
	void (*write)(uintptr_t address, unsigned size, uint64_t value);
};
extern struct fake_mmio fake_mmio;

/* Hooks for system registers: they return true for a register that they handle. Any other register
 * is a variable. */
struct fake_sysregs {
	bool (*read)(const uint64_t *variable, uint64_t *value);
	bool (*write)(const uint64_t *variable, uint64_t value);
};
extern struct fake_sysregs fake_sysregs;

/* Hook for cache maintenance by set and way, which fails the test without a hook. */
extern void (*fake_set_way)(uint32_t level_set_way);

/* Optional hook for cache maintenance by address. */
extern void (*fake_by_address)(uintptr_t start, size_t size);

/* Optional hook for a semihosting exit. */
extern void (*fake_semihosting)(unsigned code);

/* Each read of CNTPCT adds this step to the counter. The step is 1 after a reset. */
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
 * A worst-case TLB. It watches one three-level table with its root at `root` (4 KiB granule, start
 * at level 1). At every dsb and TLB maintenance it caches every entry that it can reach, table
 * entries too. It evicts no entry by itself.
 *
 * Conflicts are break-before-make violations: a reachable entry contradicts a cached one. Stale
 * entries are cached and no longer in the table: maintenance was forgotten or came too early.
 * Unpublished entries were written to the table after the last dsb.
 *
 * A cached entry carries the VMID of VTTBR_EL2 if that register held the table at the last isb,
 * else all VMIDs. Maintenance by VMID keeps the entries of other VMIDs. tlbi_guest_* work on the
 * table only if VTTBR_EL2 held it at the last isb. The table's memory must come from fake_pages(),
 * as a descriptor holds 40 bits of an address.
 */
void fake_tlb_watch(const uint64_t *root, unsigned root_entries);
unsigned fake_tlb_conflicts(void);
unsigned fake_tlb_stale(void);
unsigned fake_tlb_unpublished(void);

/* Return `count` zeroed pages of 4 KiB below 2^31. They live until the next fake_reset(). */
void *fake_pages(size_t count);
