/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that takes all the resources it can get.
 *   hostile_touch  loads from every page of its RAM, so that stage 2 needs all its tables. Check
 *                  ok: as many stage-2 faults as leaves with fill=lazy, else none
 *   hostile_edge   stores to the last word of its RAM, and loads the word after it: fault
 *                  data-abort
 *   hostile_unmap  makes stage 2 unmap the guest's own code, stack and tables, page by page:
 *                  check ok; skipped with fill=eager
 * Proof: tests/qemu/test_faults.py.
 */
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/kernel/mmu.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

#define WINDOW_SIZE 0x4000000u /* bytes mapped in stage 1 at a time: the guest has few tables */

/* A symbol of linker/guest.ld.S. */
extern char __memory_end[];

static const char *needs_containment(const struct guest_run *run)
{
	return run->config.stage2 == STAGE2_OFF ? "without stage 2 nothing contains a guest" : NULL;
}

static const char *needs_lazy(const struct guest_run *run)
{
	return run->config.fill == FILL_LAZY ? NULL : "only with fill=lazy can a guest unmap";
}

static void read_pages(uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size; at += PAGE_SIZE)
		mmio_read32((uintptr_t)at);
}

/* Load from memory that the kernel has not mapped. */
static void touch_free_memory(uint64_t start, uint64_t end)
{
	while (start < end) {
		uint64_t size = align_up(start + 1, WINDOW_SIZE) - start;

		if (size > end - start)
			size = end - start;
		mmu_map_memory(start, size);
		read_pages(start, size);
		mmu_unmap(start, size);
		start += size;
	}
}

/* Return the number of leaves in guest RAM that the first access maps. */
static uint32_t leaves(const struct guest_run *run)
{
	static const unsigned char level[] = { [STAGE2_4K] = 3, [STAGE2_2M] = 2, [STAGE2_1G] = 1 };

	if (run->config.fill == FILL_EAGER)
		return 0;
	return (uint32_t)(run->ram_size >> LPAE_SHIFT(level[run->config.stage2]));
}

static void hostile_touch_run(const struct guest_run *run)
{
	uint32_t faults;

	read_pages(run->ram_base, GUEST_IMAGE_OFFSET);
	mmu_touch_image();
	touch_free_memory((uintptr_t)__memory_end, run->ram_base + run->ram_size);
	faults = (uint32_t)hvc(HC_ID(STAGE2), HC_STAGE2_FAULTS, 0);

	struct member members[] = {
		{ "pages", (int64_t)(run->ram_size / PAGE_SIZE) },
		{ "faults", faults },
		{ "leaves", leaves(run) },
	};
	report_check("touch", faults == leaves(run), members, ARRAY_SIZE(members));
}

static void hostile_edge_run(const struct guest_run *run)
{
	uint64_t end = run->ram_base + run->ram_size;
	struct member member = { "value", 0 };

	mmu_map_memory(end - PAGE_SIZE, 2 * PAGE_SIZE);
	mmio_write32((uintptr_t)end - 4, 1);
	member.value = mmio_read32((uintptr_t)end);
	report_check("edge", false, &member, 1);
}

/* The unmapped pages include this code, its stack, and tables of the walks to them. Stage 2 maps
 * each again at its next access: at least one page of code, one of the stack and one table. */
#define MISSED_MIN 3u

static void hostile_unmap_run(const struct guest_run *run)
{
	uint32_t before = (uint32_t)hvc(HC_ID(STAGE2), HC_STAGE2_FAULTS, 0);
	uint32_t unmapped = 0, wrong = 0, faults;

	for (uintptr_t at = (uintptr_t)run; at < (uintptr_t)__memory_end; at += PAGE_SIZE) {
		bool mapped = hvc(HC_ID(STAGE2), HC_STAGE2_LEVEL, at) != 0;
		bool done = (int32_t)hvc(HC_ID(STAGE2), HC_STAGE2_UNMAP, at) == HC_OK;

		unmapped += done;
		wrong += done != mapped;
	}
	faults = (uint32_t)hvc(HC_ID(STAGE2), HC_STAGE2_FAULTS, 0) - before;

	struct member members[] = {
		{ "unmapped", unmapped },
		{ "wrong_results", wrong },
		{ "faults", faults },
	};
	report_check("unmap", wrong == 0 && unmapped > 0 && faults >= MISSED_MIN, members,
		     ARRAY_SIZE(members));
}

static const struct bench hostile_unmap = {
	.name = "hostile_unmap",
	.prepare = needs_lazy,
	.run = hostile_unmap_run,
};
BENCH(hostile_unmap);

static const struct bench hostile_touch = {
	.name = "hostile_touch",
	.prepare = needs_containment,
	.run = hostile_touch_run,
};
BENCH(hostile_touch);

static const struct bench hostile_edge = {
	.name = "hostile_edge",
	.prepare = needs_containment,
	.run = hostile_edge_run,
};
BENCH(hostile_edge);
