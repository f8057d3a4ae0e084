/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One 32-bit load of EL0 from an unmapped page. EL0 reads the counter, loads, and reads the
 * counter, with interrupts masked. The overhead is that of an empty window of EL0: a second
 * calibration record. Raw under icount with the page mapped: 4. Each variant unmaps before each
 * sample:
 *   none    nothing: the control
 *   stage1  the entry of the guest's own table: the window has the abort to EL1, one 4 KiB page
 *           mapped, and the return
 *   stage2  the leaf of stage 2, by HC_STAGE2: the window has the exit to EL2 with the full frame,
 *           the leaf mapped, and the return
 *   both    both: under icount exactly stage1 + stage2 - none
 * stage2 and both need fill=lazy and cannot run with stage2=1G, where that leaf also maps the
 * running code. Check faults-<variant>: the `samples`, the `stage1` faults that the guest handled
 * and the `stage2` faults that the hypervisor counted are equal, or 0. Every other abort is a
 * crash. On silicon the window also has the exceptions, the effects of TLB maintenance and the
 * walks; `none` may be too short for the counter.
 * Proof: tests/qemu/test_faults.py.
 */
#include "arch/hypercall.h"
#include "guest/kernel/el0.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/mmu.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

struct variant {
	const char *name;
	bool stage1, stage2; /* stages that the variant unmaps */
};

static const struct variant variants[] = {
	{ "none", false, false },
	{ "stage1", true, false },
	{ "stage2", false, true },
	{ "both", true, true },
};

/* Return the page at the start of a block of its own, so that nothing else shares its leaf of at
 * most 2 MiB. */
static uintptr_t page(void)
{
	return (uintptr_t)mmu_free_start();
}

/* Return why stage 2 cannot unmap this page separately, or NULL. */
static const char *stage2_refuses(const struct run_config *config)
{
	if (config->fill != FILL_LAZY)
		return "variants stage2 and both need fill=lazy";
	if (config->stage2 == STAGE2_1G)
		return "stage2 and both need smaller leaves than 1 GiB: this code shares the "
		       "page's";
	return NULL;
}

static void take_away(const struct variant *variant)
{
	if (variant->stage1) {
		mmu_unmap(page(), PAGE_SIZE);
		el0_expect_fault(page());
	}
	if (variant->stage2 && hvc(HC_ID(STAGE2), HC_STAGE2_UNMAP, page()) != HC_OK)
		guest_refuse("stage 2 does not give up the page", page());
}

static void take_samples(const struct bench_params *params, struct samples *samples,
			 const struct variant *variant)
{
	for (uint32_t i = 0; i <= params->n; i++) {
		struct el0_window window;

		state_prepare();
		take_away(variant);
		window = el0_touch(page(), params->delay);
		samples_add(samples, window.from, window.until);
	}
}

static uint32_t stage2_faults(void)
{
	return (uint32_t)hvc(HC_ID(STAGE2), HC_STAGE2_FAULTS, 0);
}

/* Report that every sample faulted where it should have, and nowhere else. */
static void report_faults(const struct variant *variant, uint32_t taken, uint32_t stage1,
			  uint32_t stage2)
{
	bool ok =
		stage1 == (variant->stage1 ? taken : 0) && stage2 == (variant->stage2 ? taken : 0);
	char name[24];
	struct text text;
	struct member members[] = {
		{ "samples", taken },
		{ "stage1", stage1 },
		{ "stage2", stage2 },
	};

	text_init(&text, name, sizeof(name));
	text_string(&text, "faults-");
	text_string(&text, variant->name);
	report_check(name, ok, members, ARRAY_SIZE(members));
}

static void run_variant(const struct guest_run *run, const struct variant *variant,
			uint64_t overhead)
{
	struct samples *samples = samples_begin();
	struct bench_info info = {
		.variant = variant->name,
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = overhead,
		.may_be_zero = !variant->stage1 && !variant->stage2, /* the path is one load */
	};
	uint32_t stage1 = el0_fault_count();
	uint32_t stage2 = stage2_faults();

	take_samples(&run->bench.params, samples, variant);
	stage1 = el0_fault_count() - stage1;
	stage2 = stage2_faults() - stage2;
	report_bench(&info, samples);
	report_faults(variant, samples->taken, stage1, stage2);
}

static void touch_nothing(sample_sink sink, void *to)
{
	struct el0_window window = el0_touch(0, 0);

	sink(to, window.from, window.until);
}

static void page_fault_run(const struct guest_run *run)
{
	const char *reason = stage2_refuses(&run->config);
	uint64_t overhead;

	mmu_map_memory(page(), PAGE_SIZE); /* map it as working memory, which can be made cold */
	mmu_map_user(page(), PAGE_SIZE);
	/*
	 * With lazy stage 2 a window may have no fault but the page's own, so touch the image
	 * first.
	 */
	mmu_touch_image();
	el0_init();
	el0_touch(page(), 0);
	overhead = calibrate_window(touch_nothing);
	for (unsigned i = 0; i < ARRAY_SIZE(variants); i++)
		if (!variants[i].stage2 || !reason)
			run_variant(run, &variants[i], overhead);
	if (reason)
		report_skip(reason);
}

static const struct bench page_fault = { .name = "page_fault", .run = page_fault_run };
BENCH(page_fault);
