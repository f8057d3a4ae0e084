/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/plan_run.h"

#include "arch/gem5.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/clock.h"
#include "hyp/base/console.h"
#include "hyp/base/cycles.h"
#include "hyp/base/image.h"
#include "hyp/base/record.h"
#include "hyp/dev/null_device.h"
#include "hyp/run/scenario.h"
#include "hyp/run/vms.h"

/*
 * Return the number of SPIs: the emulated distributor has VIRQ_COUNT INTIDs; the board's may have
 * fewer.
 */
static unsigned spi_count(const struct run_config *config)
{
	unsigned count = VIRQ_COUNT;

	if (config->irq != IRQ_TRAPPED && gic_intid_count() < count)
		count = gic_intid_count();
	return count - GIC_PRIVATE_COUNT;
}

static void describe(struct guest_run *run, const struct plan *plan, uint32_t step,
		     const struct run_config *config, const struct plan_bench *bench)
{
	*run = (struct guest_run){
		.magic = GUEST_RUN_MAGIC,
		.size = sizeof(*run),
		.ram_base = board.guest_base,
		.hyp_base = (uintptr_t)__image_start,
		.hyp_device = console_base(),
		.gicd_base = board.gic.dist,
		.gicc_base = board.gic.cpu,
		.gicr_base = board.gic.redist,
		.virt_timer_intid = board.virt_timer_intid,
		.phys_timer_intid = board.phys_timer_intid,
		.no_fp = !cpu_has_fp(),
		.gem5 = plan->platform == PLATFORM_GEM5,
		.spi_count = spi_count(config),
		.counter_hz = clock_hz(),
		.step = step,
		.lr_count = gic_virt_init(),
		.physical_spi_first = board.spi_first,
		.physical_spi_count = board.spi_count,
		.smc_undefined = board.smc_needs_secure && !cpu_has_secure_state(),
		.device_base = null_device_base(),
		.config = *config,
		.bench = *bench,
	};
	run->config.cycles = cycles_resolve((enum cycles_use)config->cycles, plan->platform);
}

/* Run one step. Return whether the guests ended and reported no failure. A configuration that this
 * machine cannot run does not stop the plan. */
static bool run_step(const struct plan *plan, uint32_t step, uint32_t pass,
		     const struct run_config *config, const struct plan_bench *bench)
{
	const struct record_step where = { step, pass, config->name, bench->name,
					   plan->vm[plan->measured].name };
	struct guest_run run;
	bool done;

	describe(&run, plan, step, config, bench);
	if (run.gem5 && bench->params.timed)
		gem5_work_begin();
	record_in_step(&where);
	done = vms_place(plan, config, &run) && scenario_run(plan);
	record_in_step(NULL);
	return done;
}

/* Run the configurations A B C, then C B A: a drift over time affects each of them equally. */
bool plan_run(const struct plan *plan)
{
	bool ok = true;
	uint32_t step = 0;
	uint32_t last = plan->config_count - 1;

	for (uint32_t b = 0; b < plan->bench_count; b++)
		for (uint32_t pass = 0; pass < plan->pass_count; pass++)
			for (uint32_t i = 0; i <= last; i++)
				ok &= run_step(plan, step++, pass,
					       &plan->config[pass == 0 ? i : last - i],
					       &plan->bench[b]);
	return ok;
}
