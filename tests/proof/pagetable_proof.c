/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proofs of lib/pagetable.c for CBMC, each a function prove_*: one operation on an arbitrary state
 * that satisfies the invariant keeps the invariant, and changes exactly the translations that it
 * is asked to change. docs/design/isolation.md lists what is proven.
 */
#include "lib/pagetable.h"
#include "lib/table_page.h"

#define LEAVES (PTE_COUNT * PTE_COUNT) /* below the one entry of the root */
#define TYPE_BITS (PTE_VALID | PTE_TABLE)
#define OUTPUT_BITS 0xf000ull /* sixteen pages of output */
#define ATTRIBUTE_BITS 0xcull
#define ENTRY_BITS (OUTPUT_BITS | ATTRIBUTE_BITS | TYPE_BITS)

unsigned nondet_unsigned(void);
uint64_t nondet_uint64(void);
void prove_map(void);
void prove_map_leaf(void);
void prove_reset(void);

pte_t page0[PTE_COUNT], page1[PTE_COUNT], page2[PTE_COUNT];
static pte_t root[PTE_COUNT];
static struct page_pool pool;
static struct pagetable table;

/* A page of `OTHER` is allocated, but is not a table of this tree. */
enum owner { OTHER, TREE, LIST };
struct owners {
	enum owner of[PAGES];
};

struct translation {
	bool mapped;
	uint64_t output;
	pte_t attributes;
};

struct state {
	unsigned used;
	struct owners owners;
	struct translation leaves[LEAVES];
};

static void invalidate(struct pagetable *t, uint64_t address, bool subtree)
{
}

static void any_entries(pte_t *entries)
{
	for (unsigned i = 0; i < PTE_COUNT; i++)
		entries[i] = nondet_uint64() & ENTRY_BITS;
}

static void any_state(void)
{
	unsigned free = nondet_unsigned();

	any_entries(root);
	for (unsigned n = 0; n < PAGES; n++)
		any_entries(page_of(NULL, n));
	table = (struct pagetable){ root, 1, nondet_unsigned(), &pool, invalidate };
	pool.count = nondet_unsigned();
	pool.used = nondet_unsigned();
	__CPROVER_assume(table.block_level >= 1 && table.block_level <= 3);
	__CPROVER_assume(pool.count <= PAGES && free <= PAGES);
	pool.free = page_at((uintptr_t)free << 12);
}

/* Set the owner of a page. Return false if no page is allocated there, or it has an owner. */
static bool own(struct owners *owners, pte_t address, enum owner owner)
{
	pte_t n = (address >> 12) - 1;

	if (n >= pool.used || (address & (PAGE_SIZE - 1)) != 0)
		return false;
	for (unsigned i = 0; i < PAGES; i++)
		if (n == i) {
			if (owners->of[i] != OTHER)
				return false;
			owners->of[i] = owner;
		}
	return true;
}

/* Return whether the entries are a tree of tables and aligned leaves; set the tables' owner. */
static bool own_tables(struct owners *owners, const pte_t *entries, unsigned count, unsigned level)
{
	for (unsigned i = 0; i < count; i++) {
		pte_t entry = entries[i];

		if (!(entry & PTE_VALID))
			continue;
		if (level == 3) {
			if (!(entry & PTE_TABLE))
				return false;
		} else if (entry & PTE_TABLE) {
			if (!own(owners, entry & ~TYPE_BITS, TREE) ||
			    !own_tables(owners, page_at(entry & PTE_ADDRESS), PTE_COUNT, level + 1))
				return false;
		} else if (entry & PTE_ADDRESS & (LPAE_SIZE(level) - 1)) {
			return false;
		}
	}
	return true;
}

static bool own_list(struct owners *owners)
{
	pte_t address = page_address(pool.free);

	for (unsigned i = 0; i < PAGES && address; i++) {
		if (!own(owners, address, LIST))
			return false;
		address = page_at(address)[0];
	}
	return !address;
}

static bool is_well_formed(struct owners *owners)
{
	*owners = (struct owners){ 0 };
	return pool.used <= pool.count && own_tables(owners, root, 1, 1) && own_list(owners);
}

/* Write the translation of each 4 KiB below the entries, as the architecture defines it. */
static void translate(struct translation *leaves, const pte_t *entries, unsigned count,
		      unsigned level)
{
	unsigned size = 8u >> level;

	for (unsigned i = 0; i < count; i++, leaves += size) {
		pte_t entry = entries[i];

		if (level < 3 && (entry & TYPE_BITS) == TYPE_BITS) {
			translate(leaves, page_at(entry & PTE_ADDRESS), PTE_COUNT, level + 1);
			continue;
		}
		for (unsigned page = 0; page < size; page++)
			leaves[page] = (struct translation){
				entry & PTE_VALID,
				(entry & PTE_ADDRESS) + page * PAGE_SIZE,
				entry & ~(PTE_ADDRESS | TYPE_BITS),
			};
	}
}

static bool same(struct translation a, struct translation b)
{
	return a.mapped == b.mapped &&
	       (!a.mapped || (a.output == b.output && a.attributes == b.attributes));
}

static void begin(struct state *before)
{
	any_state();
	__CPROVER_assume(is_well_formed(&before->owners));
	before->used = pool.used;
	translate(before->leaves, root, 1, 1);
}

/* Check an operation that had to translate `count` pages from `first` to `output`. */
static void check(const struct state *before, unsigned first, unsigned count, bool done,
		  uint64_t output, pte_t attributes)
{
	struct state after;

	__CPROVER_assert(is_well_formed(&after.owners), "the invariant holds");
	for (unsigned n = 0; n < PAGES; n++)
		__CPROVER_assert(n >= pool.used || (after.owners.of[n] == OTHER) ==
							   (n < before->used &&
							    before->owners.of[n] == OTHER),
				 "no page is lost, and no page of others is used");
	translate(after.leaves, root, 1, 1);
	for (unsigned i = 0; i < LEAVES; i++) {
		struct translation old = before->leaves[i], new = after.leaves[i];
		struct translation want = { attributes != 0,
					    output + (uint64_t)(i - first) * PAGE_SIZE,
					    attributes };

		if (i < first || i >= first + count)
			__CPROVER_assert(same(new, old), "nothing changes outside");
		else if (done)
			__CPROVER_assert(same(new, want), "the inside is as asked");
		else
			__CPROVER_assert(same(new, old) || same(new, want),
					 "a part of the inside is as asked");
	}
}

/* Map or, with attributes of 0, unmap. */
void prove_map(void)
{
	struct state before;
	unsigned first = nondet_unsigned() & 7, count = nondet_unsigned() & 7;
	uint64_t output = nondet_uint64() & OUTPUT_BITS;
	pte_t attributes = nondet_uint64() & ATTRIBUTE_BITS;
	bool done;

	begin(&before);
	__CPROVER_assume(count > 0 && first + count <= LEAVES);
	done = pagetable_map(&table, (uint64_t)first << 12, output, (uint64_t)count << 12,
			     attributes);
	check(&before, first, count, done, output, attributes);
}

void prove_map_leaf(void)
{
	struct state before;
	unsigned first = nondet_unsigned() & 3, level = nondet_unsigned() & 3;
	unsigned count = 8u >> level;
	uint64_t output = nondet_uint64() & OUTPUT_BITS;
	pte_t attributes = nondet_uint64() & ATTRIBUTE_BITS;
	bool done;

	begin(&before);
	__CPROVER_assume(level > 0 && attributes != 0);
	done = pagetable_map_leaf(&table, (uint64_t)first << 12, output, level, attributes);
	check(&before, first, done ? count : 0, done, output, attributes);
	for (unsigned i = 0; i < LEAVES; i++)
		__CPROVER_assert(!done || i < first || i >= first + count ||
					 !before.leaves[i].mapped,
				 "only what is unmapped is mapped");
}

void prove_reset(void)
{
	struct state after;

	any_state();
	pagetable_reset(&table);
	__CPROVER_assert(is_well_formed(&after.owners) && pool.used == 0, "the invariant holds");
	translate(after.leaves, root, 1, 1);
	for (unsigned i = 0; i < LEAVES; i++)
		__CPROVER_assert(!after.leaves[i].mapped, "nothing is mapped");
}
