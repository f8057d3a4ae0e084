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
#include "hyp/run/background.h"
#include "hyp/run/guest.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/life.h"
#include "lib/plan.h"

#define GUEST_STEP "guest" /* the step of a plan with a guest instead of benchmarks */

static unsigned pass_count(const struct plan *plan)
{
	return plan->order == PLAN_ORDER_ABBA ? 2 : 1;
}

unsigned plan_step_count(const struct plan *plan)
{
	uint32_t works = plan->bench_count ? plan->bench_count : 1;

	return plan->config_count * works * pass_count(plan);
}

/* The emulated distributor has VIRQ_COUNT, the board's maybe fewer. */
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
		.ram_size = board.guest_size,
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
		.physical_spi_first = board.spi_first,
		.physical_spi_count = board.spi_count,
		.smc_undefined = board.smc_needs_secure && !cpu_has_secure_state(),
		.device_base = null_device_base(),
		.config = *config,
		.bench = *bench,
	};
}

static void emit_sched(const struct vm *vm)
{
	record_u64("switches", vm->vcpu[0]->turns + vm->other->turns);
	record_u64("other_turns", vm->other->turns);
	record_u64("other_rounds", background_rounds());
}

static void emit_step(const struct plan *plan, const struct vm *vm, uint64_t ticks)
{
	static const char *const outcome[] = {
		[VM_DONE] = "done",       [VM_REFUSED] = "refused", [VM_FAILED] = "failed",
		[VM_CRASHED] = "crashed", [VM_FAULT] = "fault",
	};
	uint64_t cpu_hz = cycles_hz(cycles_window_us(plan->platform, CYCLES_STEP_US));

	record_open(RECORD_STEP);
	record_u64("steps", plan_step_count(plan));
	record_string("outcome", outcome[vm->outcome]);
	record_u64("ticks", ticks);
	record_u64("smc", vm->smc_count);
	if (cpu_hz)
		record_u64("cpu_hz", cpu_hz);
	if (!plan->bench_count) {
		record_u64("resets", vm->resets);
		record_u64("rom_writes", vm->rom_writes);
	}
	if (vm->config->sched != SCHED_NULL)
		emit_sched(vm);
	record_close();
}

static void begin_stats(struct vm *vm)
{
	exit_stats_reset(vm->config);
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		exit_stats_attach(vm->vcpu[n]);
	if (vm->other)
		exit_stats_attach(vm->other);
}

/* True when the guest ran to its end and found nothing wrong. */
static bool run_step(const struct plan *plan, const struct run_config *config,
		     const struct vm_machine *machine)
{
	const struct plan_vm *measured = plan_measured(plan);
	struct vm *vm = &vm_under_test;
	uint64_t ticks;

	vm->name = measured->name;
	vm->priority = (uint8_t)measured->prio;
	for (uint32_t n = 0; n < measured->cpus; n++)
		vm->core[n] = (uint8_t)measured->core[n];
	vm_create(vm, config, machine);
	vm->other =
		config->sched != SCHED_NULL ? background_prepare(vm, plan_background(plan)) : NULL;
	begin_stats(vm);
	ticks = vm_run(vm, plan->limit_ms);
	exit_stats_emit();
	emit_step(plan, vm, ticks);
	record_in_step(NULL);
	return vm->outcome == VM_DONE;
}

static bool run_bench(const struct plan *plan, uint32_t step, uint32_t pass, uint32_t config_index,
		      const struct plan_bench *bench)
{
	const struct run_config *config = &plan->config[config_index];
	struct record_step where = { step, pass, config->name, bench->name,
				     plan_measured(plan)->name };
	struct vm_machine machine;
	struct guest_run run;

	describe(&run, plan, step, config, bench);
	run.config.cycles = cycles_resolve((enum cycles_use)config->cycles, plan->platform);
	guest_bench(&machine, &run);
	record_in_step(&where);
	if (run.gem5 && bench->params.timed)
		gem5_work_begin();
	return run_step(plan, config, &machine);
}

/* What is not possible in this configuration may be in the next one. */
static bool run_guest(const struct plan *plan, uint32_t step)
{
	const struct run_config *config = &plan->config[step];
	const struct plan_vm *vm = plan_measured(plan);
	struct record_step where = { step, 0, config->name, GUEST_STEP, vm->name };
	struct plan_guest guest = plan_guest_of(plan, vm);
	struct vm_machine machine;
	const char *why;

	record_in_step(&where);
	if (guest_unmodified(&machine, &guest, config, &why))
		return run_step(plan, config, &machine);
	record_error("guest", why);
	record_in_step(NULL);
	return false;
}

static bool run_benches(const struct plan *plan)
{
	bool ok = true;
	uint32_t step = 0;
	uint32_t last = plan->config_count - 1;

	/* A B C, then C B A: what drifts with time hits every configuration alike. */
	for (uint32_t b = 0; b < plan->bench_count; b++)
		for (uint32_t pass = 0; pass < pass_count(plan); pass++)
			for (uint32_t i = 0; i <= last; i++)
				ok &= run_bench(plan, step++, pass, pass == 0 ? i : last - i,
						&plan->bench[b]);
	return ok;
}

bool plan_run(const struct plan *plan)
{
	bool ok = true;

	if (plan->bench_count)
		return run_benches(plan);
	for (uint32_t i = 0; i < plan->config_count; i++)
		ok &= run_guest(plan, i);
	return ok;
}
