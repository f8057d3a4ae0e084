/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the expiry of the virtual timer, which is its CVAL by definition, to the first stamp in the
 * interrupt vector, in the handler, or in the EL0 task that the handler wakes; the guest meanwhile
 * busy in a loop, or asleep in WFI.
 */
#include "guest/bench.h"
#include "guest/guest_arch.h"
#include "guest/irq.h"
#include "guest/report.h"
#include "guest/task.h"
#include "guest/vtimer.h"
#include "lib/random.h"

#define JITTER 64u       /* ticks, at random, so that no period divides the length of a loop */
#define GRACE_HZ_SHIFT 1 /* an interrupt is lost when it is half a second late */

enum stage { STAGE_VECTOR, STAGE_HANDLER, STAGE_TASK };

static volatile uint64_t vector_stamp, handler_stamp;
static volatile uint32_t handled_count;

static void quiet_timer(void)
{
	vtimer_quiet();
	handled_count++;
}

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)iar;
	handler_stamp = counter_read();
	vector_stamp = vector_ticks;
	quiet_timer();
}

static void on_timer_wake(uint64_t vector_ticks, uint32_t iar)
{
	(void)iar;
	(void)vector_ticks;
	quiet_timer();
	task_wake();
}

/* Interrupts masked here and on return: until the count moves, or is too late. The task runs
 * before the interrupted code goes on, so its count moves with the handler's. */
static void wait_busy(uint32_t count, uint64_t deadline)
{
	irq_unmask();
	while (handled_count == count && read_cntpct_el0() < deadline)
		;
	irq_mask();
}

/* A lost interrupt sleeps on, until the step's time limit. */
static void wait_asleep(uint32_t count)
{
	while (handled_count == count)
		irq_sleep();
}

static uint64_t stamp_of(enum stage stage)
{
	switch (stage) {
	case STAGE_VECTOR:
		return vector_stamp;
	case STAGE_HANDLER:
		return handler_stamp;
	default:
		return task_shared.stamp;
	}
}

static void check_arrivals(enum stage stage, uint32_t fired, uint32_t task_count)
{
	if (handled_count != fired)
		guest_refuse("timer interrupts are missing or too many, handled", handled_count);
	if (stage == STAGE_TASK && task_shared.count - task_count != fired)
		guest_refuse("the task missed wakes, ran", task_shared.count - task_count);
}

static void take_samples(const struct guest_run *run, struct samples *samples, bool asleep,
			 enum stage stage)
{
	const struct bench_params *params = &run->bench.params;
	uint32_t task_count = task_shared.count;
	struct random random;

	random_init(&random, params->seed, stage);
	handled_count = 0;
	for (uint32_t i = 0; i <= params->n; i++) {
		uint64_t cval;

		state_prepare(); /* before CVAL is chosen: it may take longer than a period */
		cval = counter_read() + vtimer_period(run) + random_below(&random, JITTER);
		vtimer_arm(cval);
		if (asleep)
			wait_asleep(i);
		else
			wait_busy(i, cval + (run->counter_hz >> GRACE_HZ_SHIFT));
		check_arrivals(stage, i + 1, task_count);
		samples_add(samples, cval, stamp_of(stage));
	}
}

static void run_variant(const struct guest_run *run, const char *variant, bool asleep,
			enum stage stage)
{
	struct samples *samples = samples_begin();
	struct bench_info info = { .variant = variant, .window = WINDOW_CVAL, .batch = 1 };

	irq_set_handler(run->virt_timer_intid, stage == STAGE_TASK ? on_timer_wake : on_timer);
	take_samples(run, samples, asleep, stage);
	report_bench(&info, samples);
}

static void timer_wakeup_run(const struct guest_run *run)
{
	vtimer_check_offset();
	gic_enable(run->virt_timer_intid);
	guest_arch_irq_delay(run->bench.params.delay);
	run_variant(run, "busy-vector", false, STAGE_VECTOR);
	run_variant(run, "busy-handler", false, STAGE_HANDLER);
	run_variant(run, "busy-task", false, STAGE_TASK);
	run_variant(run, "wfi-vector", true, STAGE_VECTOR);
	run_variant(run, "wfi-handler", true, STAGE_HANDLER);
	run_variant(run, "wfi-task", true, STAGE_TASK);
}

static const struct bench timer_wakeup = { .name = "timer_wakeup", .run = timer_wakeup_run };
BENCH(timer_wakeup);
