/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/working.h"

#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"
#include "lib/bits.h"
#include "lib/page_tags.h"

/* The leaves of the pages differ in level. */
#define LEVEL_MIXED 9u

static uint64_t whole_pages(uint64_t size)
{
	return align_up(size, PAGE_SIZE);
}

const char *working_refuses(const struct guest_run *run, uint64_t size)
{
	return mmu_window_refuses(run, whole_pages(size));
}

static uint32_t peek(uint64_t physical)
{
	return (uint32_t)hvc(HC_ID(PEEK), (reg_t)physical, 0);
}

/* These functions read the levels from the tables. A global leaf counts as no mapping, because
 * maintenance by ASID does not reach it. Tests replace them, so they are not static. */
unsigned working_stage1_level(uintptr_t address);
unsigned working_stage2_level(uint64_t ipa);

__attribute__((noinline)) unsigned working_stage1_level(uintptr_t address)
{
	struct pagetable_leaf leaf;

	if (!mmu_walk(address, &leaf) || !(leaf.attributes & S1_NG))
		return 0;
	return leaf.level;
}

__attribute__((noinline)) unsigned working_stage2_level(uint64_t ipa)
{
	return (unsigned)hvc(HC_ID(STAGE2), HC_STAGE2_LEVEL, (reg_t)ipa);
}

/*
 * A walk begins at level 1 in both stages, so the level of a leaf is the number of levels walked.
 */
static void ask_levels(struct working *working, const struct page_tags *tags)
{
	working->s1_levels = working_stage1_level(tags->base);
	working->s2_levels = working_stage2_level(tags->physical);
	for (uint32_t page = 1; page < tags->pages; page++) {
		uint64_t offset = (uint64_t)page * PAGE_SIZE;

		if (working_stage1_level(tags->base + (uintptr_t)offset) != working->s1_levels)
			working->s1_levels = LEVEL_MIXED;
		if (working_stage2_level(tags->physical + offset) != working->s2_levels)
			working->s2_levels = LEVEL_MIXED;
	}
}

static bool levels_are_configured(const struct working *working, const struct run_config *config)
{
	static const unsigned char s1[] = { [STAGE1_4K] = 3, [STAGE1_2M] = 2, [STAGE1_1G] = 1 };
	static const unsigned char s2[] = {
		[STAGE2_OFF] = 0,
		[STAGE2_4K] = 3,
		[STAGE2_2M] = 2,
		[STAGE2_1G] = 1,
	};

	return working->s1_levels == s1[config->stage1] && working->s2_levels == s2[config->stage2];
}

/* Return the bytes of RAM that a guest needs for this memory. */
static int64_t ram_need(const struct guest_run *run, const struct page_tags *tags)
{
	return (int64_t)(tags->physical + (uint64_t)tags->pages * PAGE_SIZE - run->ram_base);
}

static void check_mapping(const struct guest_run *run, struct working *working)
{
	const struct page_tags tags = {
		.base = working->base,
		.physical = mmu_free_start(),
		.pages = (uint32_t)(working->size / PAGE_SIZE),
		.salt = run->step,
	};
	uint32_t wrong_alias, wrong_peek;
	bool levels_ok;

	page_tags_write(&tags);
	wrong_alias = page_tags_wrong(&tags);
	wrong_peek = page_tags_wrong_at(&tags, peek);
	ask_levels(working, &tags);
	levels_ok = levels_are_configured(working, &run->config);
	report_check("mapping", levels_ok && wrong_alias == 0 && wrong_peek == 0,
		     (struct member[]){
			     { "pages", tags.pages },
			     { "wrong_alias", wrong_alias },
			     { "wrong_peek", wrong_peek },
			     { "s1_level", working->s1_levels },
			     { "s2_level", working->s2_levels },
			     { "ram_need", ram_need(run, &tags) },
		     },
		     6);
	if (wrong_alias || wrong_peek)
		guest_refuse("working memory is not where its mapping should lead, pages",
			     wrong_alias + wrong_peek);
	if (!levels_ok)
		guest_refuse("working memory is not mapped as configured, stage-1 and stage-2 "
			     "level",
			     working->s1_levels * 10 + working->s2_levels);
}

struct working working_begin(const struct guest_run *run, uint64_t size)
{
	struct working working = {
		.base = mmu_map_window(run, whole_pages(size)),
		.size = whole_pages(size),
	};

	check_mapping(run, &working);
	return working;
}

void working_members(const struct working *working, struct member members[WORKING_MEMBERS])
{
	unsigned n = working->s1_levels, m = working->s2_levels;

	members[0] = (struct member){ "s1_levels", n };
	members[1] = (struct member){ "s2_levels", m };
	members[2] = (struct member){ "walk_refs", (n + 1) * (m + 1) - 1 };
}
