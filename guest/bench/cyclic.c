/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measurement of cyclictest, without an operating system. A timer wakes the EL0 task at
 * absolute times that are `period` ticks or `period_us` apart, and the guest sleeps in between. A
 * sample is the lateness of the task: window cval, to the task's first instruction.
 *   periodic  the interrupt handler programs the next expiry before it wakes the task: the window
 *             holds that write, and the check that the expiry is still ahead
 *   oneshot   the kernel programs the next expiry when the task has run and waits again, outside
 *             of the window
 * Neither drifts: both count from the first expiry. The step is refused if the period is shorter
 * than the path, or if the handler or the task does not count a wake-up exactly once. Under icount
 * all wake-ups take equally long, but the cold wake-up of `trapped` takes longer, since the first
 * interrupt finds no list register of its own.
 * Proof: tests/qemu/test_timers.py; gate: tests/expected.
 */
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/task.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest/measure/sample.h"
#include "guest/measure/state.h"

static volatile uint32_t handled_count;
static volatile uint64_t next_cval; /* periodic: the timer's next CVAL in CNTVCT */
static uint64_t period;             /* ticks */

static void on_periodic(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	next_cval += period;
	vtimer_rearm(next_cval);
	handled_count++;
	task_wake();
	if (read_cntvct_el0() >= next_cval) /* an expired CVAL would interrupt again and again */
		vtimer_quiet();
}

static void on_oneshot(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	handled_count++;
	task_wake();
}

/* Check the counts. The task runs before the interrupted kernel code continues, so its count
 * changes with the handler's: the check sees a missed or doubled wake-up at once. */
static void check_wakes(uint32_t woken, uint32_t task_count)
{
	if (handled_count != woken)
		guest_refuse("interrupts are missing or too many, handled", handled_count);
	if (task_shared.count - task_count != woken)
		guest_refuse("the task missed wake-ups, ran", task_shared.count - task_count);
}

static void check_in_time(uint64_t cval)
{
	if (counter_read() >= cval)
		guest_refuse(
			"the period is too short for the path, ticks; raise period or period_us",
			period);
}

static void take_samples(const struct guest_run *run, struct samples *samples, bool periodic)
{
	uint32_t task_count = task_shared.count;
	uint64_t cval = counter_read() + period;

	state_prepare();
	handled_count = 0;
	next_cval = cval - vtimer_offset;
	vtimer_arm(cval);
	for (uint32_t i = 0; i <= run->bench.params.n; i++, cval += period) {
		while (handled_count == i)
			irq_sleep();
		check_wakes(i + 1, task_count);
		samples_add(samples, cval, task_shared.stamp);
		if (i < run->bench.params.n)
			state_prepare();
		check_in_time(cval + period);
		if (!periodic)
			vtimer_arm(cval + period);
	}
	vtimer_quiet();
}

static void run_variant(const struct guest_run *run, const char *variant, irq_handler handler)
{
	struct samples *samples = samples_begin();
	struct member members[] = { { "period", (int64_t)period } };
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_CVAL,
		.batch = 1,
		.members = members,
		.member_count = 1,
	};

	irq_set_handler(run->virt_timer_intid, handler);
	take_samples(run, samples, handler == on_periodic);
	report_bench(&info, samples);
}

static void cyclic_run(const struct guest_run *run)
{
	period = vtimer_period(run);
	vtimer_check_offset();
	gic_enable(run->virt_timer_intid);
	guest_arch_irq_delay(run->bench.params.delay);
	run_variant(run, "periodic", on_periodic);
	run_variant(run, "oneshot", on_oneshot);
}

static const struct bench cyclic = { .name = "cyclic", .run = cyclic_run };
BENCH(cyclic);
