/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean and invalidate caches by set and way, down to the last level that CLIDR names (DDI 0487
 * D4.4, DDI 0406C B2.2). Set and way reach this core's caches and the shared caches of its cluster,
 * but no system cache beyond them. hyp/arch/<isa>/cold.S returns to the guest and fills no line of
 * another exit.
 *
 * If CLIDR names no level (gem5), maintenance goes by address: the memory of EL2 and of the bench
 * guest that this core uses between two samples.
 */
#include "hyp/mem/cold.h"

#include "abi/guest_run.h"
#include "arch/barrier.h"
#include "arch/cache.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/base/image.h"
#include "hyp/mem/guest_ram.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

/* CLIDR_EL1 (DDI 0487 D13.2.26): Ctype, three bits a level. */
#define LEVEL_MAX 7u
#define CTYPE(clidr, level) ((unsigned)((clidr) >> 3 * (level)) & 7u)
#define CTYPE_NONE 0u
#define CTYPE_DATA 2u /* this value and above: the level holds data */

/* CSSELR_EL1.Level; InD is 0: the data or unified cache */
#define CSSELR_LEVEL(level) ((level) << 1)

/* CCSIDR_EL1 (DDI 0487 D13.2.25), the format of a core without FEAT_CCIDX, as all of Armv8.0 */
#define CCSIDR_LINE_LOG2(ccsidr) ((unsigned)((ccsidr)&7u) + 4u) /* bytes */
#define CCSIDR_WAY_LAST(ccsidr) ((uint32_t)((ccsidr) >> 3) & 0x3ffu)
#define CCSIDR_SET_LAST(ccsidr) ((uint32_t)((ccsidr) >> 13) & 0x7fffu)

/* The way is in the highest bits of a set/way operand, with as many bits as the last way needs. */
static void clean_level(uint32_t level, reg_t ccsidr)
{
	uint32_t way_last = CCSIDR_WAY_LAST(ccsidr);
	unsigned way = way_last ? (unsigned)__builtin_clz(way_last) : 0;
	unsigned line = CCSIDR_LINE_LOG2(ccsidr);

	/* bound: CACHE_WAYS */
	for (uint32_t w = 0; w <= way_last; w++)
		/* bound: CACHE_SETS; total: CACHE_LINES */
		for (uint32_t s = 0; s <= CCSIDR_SET_LAST(ccsidr); s++)
			dcache_clean_invalidate_line(w << way | s << line | level << 1);
}

/* Return CCSIDR of a level, and restore CSSELR, which holds the guest's value. */
static reg_t ccsidr_of(uint32_t level)
{
	reg_t selected = read_csselr_el1();
	reg_t ccsidr;

	write_csselr_el1(CSSELR_LEVEL(level));
	isb();
	ccsidr = read_ccsidr_el1();
	write_csselr_el1(selected);
	isb();
	return ccsidr;
}

/* Complete each level before the next, because a line cleaned from one level may go to the next. */
static void clean_levels(reg_t clidr)
{
	dsb_sy();
	/* bound: LEVEL_MAX */
	for (uint32_t level = 0; level < LEVEL_MAX && CTYPE(clidr, level) != CTYPE_NONE; level++) {
		if (CTYPE(clidr, level) < CTYPE_DATA)
			continue;
		clean_level(level, ccsidr_of(level));
		dsb_sy();
	}
}

static void clean_between(uintptr_t start, uintptr_t end)
{
	dcache_clean_invalidate(start, end - start);
}

/* Clean EL2's image and data, except unused stage-2 tables and other cores' data. */
static void clean_own(const struct page_pool *tables)
{
	clean_between((uintptr_t)__image_start, (uintptr_t)tables->base + tables->used * PAGE_SIZE);
	clean_between((uintptr_t)tables->base + tables->count * PAGE_SIZE,
		      (uintptr_t)__percore_copies);
}

/* Clean the guest's run page, its image with bss, stacks and tables, and its working memory. */
static void clean_guest(const struct guest_ram *ram, size_t working)
{
	const struct guest_header *guest = (const struct guest_header *)__guest_image_start;

	ram_clean(ram, ram->base + GUEST_RUN_OFFSET, GUEST_RECORD_OFFSET - GUEST_RUN_OFFSET);
	ram_clean(ram, guest->load_address, (size_t)(guest->memory_end - guest->load_address));
	ram_clean(ram, align_up(guest->memory_end, GUEST_WORKING_ALIGNMENT), working);
}

static bool clean_data_caches(const struct guest_ram *ram, const struct page_pool *tables,
			      reg_t working)
{
	reg_t clidr = read_clidr_el1();

	if (CTYPE(clidr, 0) != CTYPE_NONE) {
		clean_levels(clidr);
		return true;
	}
	if (working > COLD_WORKING_MAX)
		return false;
	clean_guest(ram, (size_t)working);
	clean_own(tables);
	return true;
}

bool cold_make(const struct guest_ram *ram, const struct page_pool *tables, reg_t state,
	       reg_t working)
{
	if (state == STATE_COLD_CACHES) {
		if (!clean_data_caches(ram, tables, working))
			return false;
		icache_invalidate_core();
	} else if (state == STATE_COLD_TLB) {
		tlbi_core_guests();
		tlbi_core_el2();
	}
	return state <= STATE_COLD_TLB;
}

unsigned cold_colours(void)
{
	reg_t clidr = read_clidr_el1(), ccsidr = 0;

	/* bound: LEVEL_MAX */
	for (uint32_t level = 0; level < LEVEL_MAX && CTYPE(clidr, level) != CTYPE_NONE; level++)
		if (CTYPE(clidr, level) >= CTYPE_DATA)
			ccsidr = ccsidr_of(level);
	return ccsidr ? ((CCSIDR_SET_LAST(ccsidr) + 1) << CCSIDR_LINE_LOG2(ccsidr)) / PAGE_SIZE : 0;
}
