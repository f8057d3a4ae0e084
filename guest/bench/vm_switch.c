/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preemptive VM switch. Another VM has the core while this VM sleeps, and the virtual timer of
 * this VM takes the core from the other VM. Needs sched=fp.
 *   preempt  from CVAL, which passes during the other VM's instructions (window cval), to the first
 *            stamp in this VM's interrupt vector. The window has no instruction of the other VM.
 *            Raw under icount, natively: 3 on AArch64, 4 on AArch32 (timer_wakeup wfi-vector)
 * The other VM is the background VM, which has no GIC and no timer; with `beside` it is a load,
 * which has both. Before the first sample this VM sleeps for BOOT ticks, in which a load boots.
 * Periods are `period` ticks and up to 63 more at random. The step record's `other_turns` counts
 * how often the other VM had the core.
 * Proof: tests/qemu/test_switches.py; gate: tests/expected.
 */
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "guest/measure/wakeup.h"

#define BOOT 4000000u /* ticks */

static volatile uint64_t arrived_at;
static volatile uint32_t arrived;

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)iar;
	arrived_at = vector_ticks;
	vtimer_quiet();
	arrived++;
}

/*
 * Sleep until CNTPCT is `cval`. If the interrupt is lost, this sleep lasts until the step's time
 * limit.
 */
static void sleep_until(uint64_t cval)
{
	uint32_t before = arrived;

	vtimer_arm(cval);
	while (arrived == before)
		irq_sleep();
}

static void vm_switch_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();
	const struct bench_info info = { .variant = "preempt", .window = WINDOW_CVAL, .batch = 1 };
	struct random random;

	vtimer_check_offset();
	random_init(&random, run->bench.params.seed, 0);
	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
	guest_arch_irq_delay(run->bench.params.delay);
	sleep_until(counter_read() + BOOT);
	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t cval;

		state_prepare();
		cval = wakeup_cval(run, &random);
		sleep_until(cval);
		samples_add(samples, cval, arrived_at);
	}
	report_bench(&info, samples);
}

static const char *vm_switch_prepare(const struct guest_run *run)
{
	if (run->config.sched != SCHED_FP)
		return "needs sched=fp";
	return run->config.beside > BESIDE_SGI ? "needs a VM that keeps the core" : NULL;
}

static const struct bench vm_switch = {
	.name = "vm_switch",
	.prepare = vm_switch_prepare,
	.run = vm_switch_run,
};
BENCH(vm_switch);
