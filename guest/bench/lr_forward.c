/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual timer's interrupt, forwarded by each list register: variants lr0 to lr3. Window cval,
 * to the first stamp in the vector. timer_wakeup busy-vector has the same path, by list register 0.
 * Needs irq=trapped.
 * Variant lrN keeps N SGIs pending in the list registers before. Their priority, 0xff, is the
 * lowest, which the priority mask never lets through (IHI 0048B 4.4.2). The first interrupt, which
 * is the cold sample, finds its list register; later interrupts use the same one. A variant is left
 * out if the GIC has no such list register.
 * Proof: tests/qemu/test_lrs.py; gate: tests/expected.
 */
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "guest/measure/wakeup.h"
#include "lib/bits.h"

#define NEVER 0xffu
#define FIRST_SGI 1u

static const char *const variants[] = { "lr0", "lr1", "lr2", "lr3" };

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)iar;
	wakeup_vector = vector_ticks;
	vtimer_quiet();
	wakeup_handled++;
}

static void occupy(unsigned lr)
{
	gic_set_priority(FIRST_SGI + lr, NEVER);
	gic_enable(FIRST_SGI + lr);
	gic_send_sgi_self(FIRST_SGI + lr);
}

static void run_variant(const struct guest_run *run, unsigned lr)
{
	struct samples *samples = samples_begin();
	const struct bench_info info = {
		.variant = variants[lr],
		.window = WINDOW_CVAL,
		.batch = 1,
	};
	struct random random;

	random_init(&random, run->bench.params.seed, lr);
	wakeup_handled = 0;
	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t cval;

		state_prepare();
		cval = wakeup_cval(run, &random);
		vtimer_arm(cval);
		wakeup_wait_busy(run, i, cval);
		wakeup_check_handled(i + 1);
		samples_add(samples, cval, wakeup_vector);
	}
	report_bench(&info, samples);
}

static void lr_forward_run(const struct guest_run *run)
{
	vtimer_check_offset();
	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
	guest_arch_irq_delay(run->bench.params.delay);
	for (unsigned lr = 0; lr < ARRAY_SIZE(variants) && lr < run->lr_count; lr++) {
		if (lr > 0)
			occupy(lr - 1);
		run_variant(run, lr);
	}
}

static const char *lr_forward_prepare(const struct guest_run *run)
{
	return run->config.irq != IRQ_TRAPPED ? "needs irq=trapped" : NULL;
}

static const struct bench lr_forward = {
	.name = "lr_forward",
	.prepare = lr_forward_prepare,
	.run = lr_forward_run,
};
BENCH(lr_forward);
