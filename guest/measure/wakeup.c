/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/wakeup.h"

#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/task.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"

#define JITTER 64u /* ticks */
#define GRACE_HZ_SHIFT 1

volatile uint64_t wakeup_vector, wakeup_handler;
volatile uint32_t wakeup_handled;

uint64_t wakeup_cval(const struct guest_run *run, struct random *random)
{
	return counter_read() + vtimer_period(run) + random_below(random, JITTER);
}

void wakeup_wait_busy(const struct guest_run *run, uint32_t count, uint64_t from)
{
	uint64_t deadline = from + (run->counter_hz >> GRACE_HZ_SHIFT);

	irq_unmask();
	while (wakeup_handled == count && read_cntpct_el0() < deadline)
		;
	irq_mask();
}

/* If the interrupt is lost, this wait lasts until the step's time limit. */
static void wait_asleep(uint32_t count)
{
	while (wakeup_handled == count)
		irq_sleep();
}

static uint64_t stamp_of(enum wakeup_stage stage)
{
	switch (stage) {
	case STAGE_VECTOR:
		return wakeup_vector;
	case STAGE_HANDLER:
		return wakeup_handler;
	default:
		return task_shared.stamp;
	}
}

void wakeup_check_handled(uint32_t fired)
{
	if (wakeup_handled != fired)
		guest_refuse("interrupts are missing or too many, handled", wakeup_handled);
}

void wakeup_check_task(uint32_t fired, uint32_t task_count)
{
	if (task_shared.count - task_count != fired)
		guest_refuse("the task missed wakes, ran", task_shared.count - task_count);
}

static void take_samples(const struct guest_run *run, const struct wakeup_timer *timer,
			 struct samples *samples, bool asleep, enum wakeup_stage stage)
{
	const struct bench_params *params = &run->bench.params;
	uint32_t task_count = task_shared.count;
	struct random random;

	random_init(&random, params->seed, stage);
	wakeup_handled = 0;
	for (uint32_t i = 0; i <= params->n; i++) {
		uint64_t cval;

		/* prepare before choosing CVAL: the preparation may take longer than a period */
		state_prepare();
		cval = wakeup_cval(run, &random);
		timer->arm(cval);
		if (asleep)
			wait_asleep(i);
		else
			wakeup_wait_busy(run, i, cval);
		wakeup_check_handled(i + 1);
		if (stage == STAGE_TASK)
			wakeup_check_task(i + 1, task_count);
		samples_add(samples, cval, stamp_of(stage));
	}
}

static void run_variant(const struct guest_run *run, const struct wakeup_timer *timer,
			const char *variant, bool asleep, enum wakeup_stage stage)
{
	struct samples *samples = samples_begin();
	struct bench_info info = { .variant = variant, .window = WINDOW_CVAL, .batch = 1 };

	irq_set_handler(timer->intid, stage == STAGE_TASK ? timer->on_timer_wake : timer->on_timer);
	take_samples(run, timer, samples, asleep, stage);
	report_bench(&info, samples);
}

void wakeup_run(const struct guest_run *run, const struct wakeup_timer *timer)
{
	gic_enable(timer->intid);
	guest_arch_irq_delay(run->bench.params.delay);
	run_variant(run, timer, "busy-vector", false, STAGE_VECTOR);
	run_variant(run, timer, "busy-handler", false, STAGE_HANDLER);
	run_variant(run, timer, "busy-task", false, STAGE_TASK);
	run_variant(run, timer, "wfi-vector", true, STAGE_VECTOR);
	run_variant(run, timer, "wfi-handler", true, STAGE_HANDLER);
	run_variant(run, timer, "wfi-task", true, STAGE_TASK);
}
