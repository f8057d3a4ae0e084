/* SPDX-License-Identifier: Apache-2.0 */
/* The fake machine's TLB, see fake.h. */
#include "tests/unit/fake/fake_tlb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/tlb.h"
#include "lib/lpae.h"
#include "tests/unit/fake/fake.h"

#define ENTRIES_MAX 8192u
#define VTTBR_BADDR 0x0000fffffffffffeull
#define VTTBR_VMID(vttbr) ((unsigned)((vttbr) >> 48 & 0xff))
#define ANY_VMID 256u /* cached while VTTBR held another table */

struct entry {
	uint64_t start; /* first address that the entry translates */
	unsigned level;
	pte_t pte;
	unsigned vmid; /* VMID under which the entry was cached */
};

struct entries {
	unsigned count;
	struct entry entry[ENTRIES_MAX];
};

static struct entries cached;
static struct entries reachable; /* found by the last look() */
static const uint64_t *watched;
static unsigned watched_entries;
static uint64_t vttbr_in_effect;
static unsigned conflicts;

static bool is_table(const struct entry *e)
{
	return e->level < 3 && e->pte & PTE_TABLE;
}

static bool covers(const struct entry *e, uint64_t address)
{
	return address - e->start < LPAE_SIZE(e->level);
}

static bool same(const struct entry *a, const struct entry *b)
{
	return a->start == b->start && a->level == b->level && a->pte == b->pte;
}

/* Two different entries translate one address, and the larger is no table that leads further. */
static bool contradicts(const struct entry *a, const struct entry *b)
{
	const struct entry *larger = a->level < b->level ? a : b;
	const struct entry *smaller = larger == a ? b : a;

	if (!covers(larger, smaller->start))
		return false;
	return larger->level == smaller->level ? !same(a, b) : !is_table(larger);
}

static void add(struct entries *list, struct entry entry)
{
	if (list->count == ENTRIES_MAX)
		fail_msg("the fake TLB holds %u entries", ENTRIES_MAX);
	list->entry[list->count++] = entry;
}

static bool holds(const struct entries *list, const struct entry *entry)
{
	for (unsigned i = 0; i < list->count; i++)
		if (same(&list->entry[i], entry))
			return true;
	return false;
}

static unsigned missing(const struct entries *from, const struct entries *in)
{
	unsigned count = 0;

	for (unsigned i = 0; i < from->count; i++)
		count += !holds(in, &from->entry[i]);
	return count;
}

static void walk(const uint64_t *table, unsigned count, uint64_t start, unsigned level)
{
	for (unsigned i = 0; i < count; i++) {
		struct entry entry = { start + i * LPAE_SIZE(level), level, table[i], ANY_VMID };

		if (!(entry.pte & PTE_VALID))
			continue;
		add(&reachable, entry);
		if (is_table(&entry))
			walk((const uint64_t *)(uintptr_t)(entry.pte & PTE_ADDRESS), PTE_COUNT,
			     entry.start, level + 1);
	}
}

static void look(void)
{
	reachable.count = 0;
	if (watched)
		walk(watched, watched_entries, 0, 1);
}

static bool watched_is_current(void)
{
	return (vttbr_in_effect & VTTBR_BADDR) == (uintptr_t)watched;
}

/* Return the VMID under which the table is walked now. */
static unsigned current_vmid(void)
{
	return watched_is_current() ? VTTBR_VMID(vttbr_in_effect) : ANY_VMID;
}

static bool vmids_meet(unsigned a, unsigned b)
{
	return a == b || a == ANY_VMID || b == ANY_VMID;
}

static void cache_entry(const struct entry *entry, unsigned vmid)
{
	for (unsigned i = 0; i < cached.count; i++) {
		if (!vmids_meet(cached.entry[i].vmid, vmid))
			continue;
		if (same(&cached.entry[i], entry) && cached.entry[i].vmid == vmid)
			return;
		conflicts += contradicts(&cached.entry[i], entry);
	}
	add(&cached, (struct entry){ entry->start, entry->level, entry->pte, vmid });
}

void fake_tlb_observe(void)
{
	look();
	for (unsigned i = 0; i < reachable.count; i++)
		cache_entry(&reachable.entry[i], current_vmid());
}

static void forget(bool all, uint64_t address, unsigned vmid)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < cached.count; i++)
		if (!vmids_meet(cached.entry[i].vmid, vmid) ||
		    (!all && !covers(&cached.entry[i], address)))
			cached.entry[kept++] = cached.entry[i];
	cached.count = kept;
}

/* Like the real functions, with a dsb on each side: entries that are valid before are cached, and
 * entries that are still valid afterwards are cached again. */
static void maintain(unsigned *count, bool applies, bool all, uint64_t address, unsigned vmid)
{
	++*count;
	dsb_ish();
	if (applies)
		forget(all, address, vmid);
	dsb_ish();
	isb();
}

/* Maintenance of translation regimes other than stage 2 is only counted. */
#define TLBI(name, applies, vmid)                                                                  \
	void tlbi_##name(void)                                                                     \
	{                                                                                          \
		maintain(&fake_counts.tlbi_##name, applies, true, 0, vmid);                        \
	}
TLBI(all_guests, true, ANY_VMID)
TLBI(core_guests, true, ANY_VMID)
TLBI(guest_vmid, watched_is_current(), current_vmid())
TLBI(core_guest_vmid, watched_is_current(), current_vmid())
TLBI(el2_all, false, ANY_VMID)
TLBI(core_el2, false, ANY_VMID)

void tlbi_guest_ipa(ipa_t ipa)
{
	maintain(&fake_counts.tlbi_guest_ipa, watched_is_current(), false, ipa, current_vmid());
}

void fake_tlb_reset(void)
{
	cached.count = 0;
	watched = NULL;
	vttbr_in_effect = 0;
	conflicts = 0;
}

void fake_tlb_vttbr(uint64_t vttbr)
{
	vttbr_in_effect = vttbr;
}

void fake_tlb_watch(const uint64_t *root, unsigned root_entries)
{
	watched = root;
	watched_entries = root_entries;
}

unsigned fake_tlb_conflicts(void)
{
	return conflicts;
}

unsigned fake_tlb_stale(void)
{
	look();
	return missing(&cached, &reachable);
}

unsigned fake_tlb_unpublished(void)
{
	look();
	return missing(&reachable, &cached);
}
