/* SPDX-License-Identifier: Apache-2.0 */
/* One life of the guest: check struct guest_run, set up, calibrate, run one benchmark, end. */
#include <string.h>

#include "guest/kernel/exit.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/task.h"
#include "guest/kernel/timing.h"
#include "guest/kernel/vtimer.h"
#include "guest/loads/load.h"
#include "guest/main.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "guest_arch/ops.h"
#include "lib/text.h"

/* Symbols of linker/guest.ld.S. */
extern const struct bench *const __bench_start[], *const __bench_end[];

static void refuse_unknown_bench(const char *name)
{
	static char buffer[512];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, "unknown benchmark '");
	text_string(&text, name);
	text_string(&text, "', known are:");
	for (const struct bench *const *bench = __bench_start; bench < __bench_end; bench++) {
		text_char(&text, ' ');
		text_string(&text, (*bench)->name);
	}
	guest_fail(GUEST_EXIT_REFUSED, buffer);
}

static const struct bench *find_bench(const char *name)
{
	for (const struct bench *const *bench = __bench_start; bench < __bench_end; bench++)
		if (strncmp((*bench)->name, name, PLAN_NAME_SIZE) == 0)
			return *bench;
	refuse_unknown_bench(name);
	return NULL;
}

static void check_run(const struct guest_run *run)
{
	if (run->magic != GUEST_RUN_MAGIC)
		guest_refuse("struct guest_run is missing, its magic reads", run->magic);
	if (run->size != sizeof(*run))
		guest_refuse("struct guest_run is of another build, bytes", run->size);
	if (run->bench.params.delay % 2)
		guest_refuse("delay is odd; choose an even one", run->bench.params.delay);
}

static bool awake;

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	vtimer_quiet();
	awake = true;
}

/* While this VM sleeps, others boot. */
static void sleep_ms(const struct guest_run *run, uint32_t ms)
{
	if (ms == 0)
		return;
	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
	vtimer_arm(counter_read() + (uint64_t)ms * run->counter_hz / 1000);
	while (!awake)
		irq_sleep();
	gic_disable(run->virt_timer_intid);
}

void guest_main(const struct guest_run *run)
{
	const struct bench *bench;
	const char *reason = NULL;

	report_init(run);
	check_run(run);
	if (!run->is_load)
		timing_init(run); /* the measured guest chooses for all cores */
	mmu_init(run);
	irq_init(run);
	vtimer_offset = run->cntvoff;
	if (run->is_load)
		load_run(run);
	state_init(run);
	sample_init(run);
	task_init();
	bench = find_bench(run->bench.name);
	if (bench->prepare)
		reason = bench->prepare(run);
	if (reason) {
		report_skip(reason);
		guest_exit(GUEST_EXIT_DONE);
	}
	sleep_ms(run, run->bench.params.after_ms);
	calibrate(&run->bench.params);
	bench->run(run);
	guest_exit(report_all_ok() ? GUEST_EXIT_DONE : GUEST_EXIT_FAILED);
}
