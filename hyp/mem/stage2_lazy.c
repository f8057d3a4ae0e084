/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/mem/stage2_lazy.h"

#include "arch/counter.h"
#include "arch/sysreg.h"
#include "lib/compiler.h"

static uint32_t saturate(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

void stage2_lazy_begin(struct stage2_lazy *lazy, struct stage2 *stage2, const struct guest_ram *ram,
		       uint64_t build_ticks)
{
	*lazy = (struct stage2_lazy){
		.stage2 = stage2,
		.ram = ram,
		.base = ram->base,
		.end = stage2 ? ram->base + ram->size : ram->base,
		.to_pa = ram->colours ? 1 : ram->pa - ram->base,
		.build_ticks = saturate(build_ticks),
	};
}

static bool in_ram(const struct stage2_lazy *lazy, ipa_t ipa)
{
	return ipa >= lazy->base && ipa < lazy->end;
}

/* Return the level of the largest leaf around `ipa` that the grain allows, that contains only guest
 * RAM, and whose size divides the distance to the PA. */
static unsigned leaf_level(const struct stage2_lazy *lazy, ipa_t ipa)
{
	unsigned level = 3;

	/* bound: 2: to level 1 */
	while (level > lazy->stage2->table.block_level) {
		uint64_t rest = LPAE_SIZE(level - 1) - 1;
		ipa_t start = ipa & ~rest;

		if (start < lazy->base || start + rest >= lazy->end || lazy->to_pa & rest)
			break;
		level--;
	}
	return level;
}

static void account(struct stage2_lazy *lazy, uint64_t ticks)
{
	uint32_t saturated = saturate(ticks);

	if (lazy->faults == 0 || saturated < lazy->ticks_min)
		lazy->ticks_min = saturated;
	if (saturated > lazy->ticks_max)
		lazy->ticks_max = saturated;
	lazy->ticks = saturate(lazy->ticks + ticks);
	lazy->faults = saturate(lazy->faults + 1ull);
}

/* Map a page of coloured RAM. The path without colours keeps no address for this function:
 * HPFAR_EL2 has the page. */
static __cold bool map_coloured(const struct stage2_lazy *lazy)
{
	ipa_t page = (ipa_t)(read_hpfar_el2() & ~(reg_t)0xf) << 8;

	return stage2_map_leaf(lazy->stage2, page, ram_pa(lazy->ram, page), 3, STAGE2_NORMAL);
}

bool stage2_lazy_fault(struct stage2_lazy *lazy, ipa_t ipa)
{
	uint64_t start = counter_read();
	struct pagetable_leaf leaf;
	unsigned level;
	bool mapped;
	ipa_t at;

	if (!in_ram(lazy, ipa) || pagetable_walk(&lazy->stage2->table, ipa, &leaf))
		return false;
	level = leaf_level(lazy, ipa);
	at = ipa & ~(LPAE_SIZE(level) - 1);
	mapped = lazy->to_pa % PAGE_SIZE ? map_coloured(lazy)
					 : stage2_map_leaf(lazy->stage2, at, at + lazy->to_pa,
							   level, STAGE2_NORMAL);
	if (!mapped)
		return false;
	account(lazy, counter_read() - start);
	return true;
}

bool stage2_lazy_unmap(struct stage2_lazy *lazy, ipa_t ipa)
{
	struct pagetable_leaf leaf;
	uint64_t size;

	if (!in_ram(lazy, ipa) || !pagetable_walk(&lazy->stage2->table, ipa, &leaf))
		return false;
	size = LPAE_SIZE(leaf.level);
	return pagetable_unmap(&lazy->stage2->table, ipa & ~(size - 1), size);
}
