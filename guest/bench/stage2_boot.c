/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of a guest's start, and its stage-2 faults. The guest sets itself up, touches its image
 * and `pages` pages of working memory in their order, and then reads how long ago its first
 * instruction was. It emits one check record, `start`; natively and with fill=eager there are no
 * faults.
 *   start_ticks    CNTPCT from just before the guest's first instruction to that read; it begins
 *                  with one store, the cleaning of its line and the load of the vCPU's registers,
 *                  equal in every configuration
 *   build_ticks    EL2: empty tables, and all mappings made before the guest starts; 0 without
 *                  stage 2; not part of start_ticks
 *   faults         stage-2 faults that mapped a leaf: the number of different leaves that the
 *                  guest touches
 *   fault_ticks    time of all faults within EL2's handler, without the path from the vector to
 *                  the handler and back; fault_min and fault_max are the cheapest and the dearest
 *   touched_pages  pages of working memory
 * A lazy start takes the time of an eager start, plus fault_ticks, plus a constant for each data
 * abort (an instruction abort takes a little less). On silicon the maintenance of the image by
 * address faults as a load does, so that faults is the same there; under QEMU the loads fault.
 * Proof: tests/qemu/test_faults.py.
 */
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/kernel/mmu.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

static struct {
	uint64_t ticks;
	uint32_t build_ticks, faults, fault_ticks, fault_min, fault_max;
} start;

static uint32_t ask(enum hc_stage2 what)
{
	return (uint32_t)hvc(HC_ID(STAGE2), what, 0);
}

static void touch_working_memory(uint32_t pages)
{
	uintptr_t base = (uintptr_t)mmu_free_start();

	for (uint32_t i = 0; i < pages; i++)
		mmio_write32(base + (uintptr_t)i * PAGE_SIZE, i);
}

static void look(const struct guest_run *run)
{
	start.ticks = counter_read() - run->start_ticks;
	start.faults = ask(HC_STAGE2_FAULTS);
	start.fault_ticks = ask(HC_STAGE2_TICKS);
	start.fault_min = ask(HC_STAGE2_TICKS_MIN);
	start.fault_max = ask(HC_STAGE2_TICKS_MAX);
	start.build_ticks = ask(HC_STAGE2_BUILD_TICKS);
}

/* Run the whole start here, since the calibration that follows prints and a start must not. */
static const char *stage2_boot_prepare(const struct guest_run *run)
{
	uint32_t pages = run->bench.params.pages;
	uint64_t size = (uint64_t)pages * PAGE_SIZE;

	if (run->gem5 && !run->bench.params.timed)
		return "gem5 measures a start with timed=1";
	if (size > run->ram_base + run->ram_size - mmu_free_start())
		return "not enough memory";
	mmu_map_memory(mmu_free_start(), size);
	mmu_touch_image();
	touch_working_memory(pages);
	look(run);
	return NULL;
}

/* Return whether the pages have their content and the counts agree. */
static bool is_sound(const struct guest_run *run)
{
	uint32_t pages = run->bench.params.pages;
	uintptr_t base = (uintptr_t)mmu_free_start();

	for (uint32_t i = 0; i < pages; i++)
		if (mmio_read32(base + (uintptr_t)i * PAGE_SIZE) != i)
			return false;
	if (run->config.fill == FILL_EAGER)
		return start.faults == 0 && start.fault_ticks == 0;
	return start.faults > 0 && start.fault_min > 0 && start.fault_min <= start.fault_max &&
	       start.fault_max <= start.fault_ticks && start.fault_ticks < start.ticks;
}

static void stage2_boot_run(const struct guest_run *run)
{
	struct member members[] = {
		{ "start_ticks", (int64_t)start.ticks },
		{ "build_ticks", start.build_ticks },
		{ "faults", start.faults },
		{ "fault_ticks", start.fault_ticks },
		{ "fault_min", start.fault_min },
		{ "fault_max", start.fault_max },
		{ "touched_pages", run->bench.params.pages },
	};

	report_check("start", is_sound(run), members, ARRAY_SIZE(members));
}

static const struct bench stage2_boot = {
	.name = "stage2_boot",
	.prepare = stage2_boot_prepare,
	.run = stage2_boot_run,
};
BENCH(stage2_boot);
