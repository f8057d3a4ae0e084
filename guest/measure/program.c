/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a program n + 1 times and take the samples. Every run begins with the same state of the C
 * library, an empty heap and the same input. This file is compiled without FP registers, like the
 * rest of the kernel, because the interrupts that it handles during a program do not save them.
 */
#include "guest/measure/program.h"

#include <stdlib.h>

#include "abi/null_device.h"
#include "arch/hypercall.h"
#include "arch/mmio.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/libc.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "lib/bits.h"
#include "lib/pagetable.h"

#define HEAP_SIZE 0x800000u
#define TICK_DEFAULT_US 1000u
#define GRACE_HZ_SHIFT 1 /* a tick counts as lost after half a second */

static struct {
	uint64_t period;
	uint64_t first; /* CVAL of the run's first tick */
	uint64_t cval;  /* CVAL of the next tick */
	volatile uint32_t count;
	uint32_t overrun; /* expired ticks without an interrupt of their own */
} tick;

static struct {
	uintptr_t base;
	uint32_t count; /* number of words written */
	uint32_t sum;   /* sum of the words written */
} device;

/* The results of the runs of a step. */
struct outcome {
	uint32_t checksum;  /* checksum of the first run */
	uint32_t different; /* runs with another checksum */
	uint32_t ticks, ticks_expected, overrun;
	uint32_t ticks_wrong; /* runs with too few or too many ticks */
};

struct window_stamps {
	uint64_t from, until;
	reg_t cycles;
};

void *program_alloc(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		guest_refuse("the program's heap is too small, bytes asked for", size);
	return memory;
}

void program_output(uint32_t word)
{
	device.count++;
	device.sum += word;
	mmio_write32(device.base + NULL_DEVICE_DATA, word);
}

/*
 * The next tick is absolute, in CNTVCT, so that a late tick does not delay the next one. It also
 * lies in the future, as in an operating system: a handler that is a whole period late catches up
 * at once.
 */
static void on_tick(uint64_t vector_ticks, uint32_t iar)
{
	uint64_t next = tick.cval + tick.period;
	uint32_t count = 1;

	(void)vector_ticks;
	(void)iar;
	for (; next <= read_cntvct_el0(); count++)
		next += tick.period;
	tick.count += count;
	tick.overrun += count - 1;
	tick.cval = next;
	vtimer_rearm(next);
}

static void tick_start(uint64_t delay)
{
	tick.count = 0;
	tick.overrun = 0;
	tick.first = counter_read() + delay;
	tick.cval = tick.first - vtimer_offset;
	vtimer_arm(tick.first);
	irq_unmask();
}

static uint32_t ticks_until(uint64_t now)
{
	return now < tick.first ? 0 : (uint32_t)((now - tick.first) / tick.period) + 1;
}

/* Wait for the ticks that are due before `until`. More ticks may come before the timer is off. */
static void tick_stop(const struct guest_run *run, uint64_t until, struct outcome *outcome)
{
	uint64_t deadline = until + (run->counter_hz >> GRACE_HZ_SHIFT);
	uint32_t expected = ticks_until(until);

	while (tick.count < expected && counter_read() < deadline)
		;
	irq_mask();
	write_cntv_ctl_el0(0);
	isb();
	outcome->ticks += tick.count;
	outcome->ticks_expected += expected;
	outcome->overrun += tick.overrun;
	if (tick.count < expected || tick.count > ticks_until(counter_read()))
		outcome->ticks_wrong++;
}

/* This function is not inlined, like samples_sink(). */
__attribute__((noinline)) static void store_stamps(void *to, uint64_t from, uint64_t until)
{
	*(struct window_stamps *)to = (struct window_stamps){ from, until, 0 };
}

__attribute__((noinline)) static void store_cycles(void *to, uint64_t from, uint64_t until,
						   reg_t cycles)
{
	*(struct window_stamps *)to = (struct window_stamps){ from, until, cycles };
}

OPS_INLINE reg_t op_run(reg_t function)
{
	call_address(function);
	return function;
}

/* Each window has a function of its own, so that the opening stamp and the delay stay in registers
 * and the window contains only the program. */
__attribute__((noinline)) static void take_window(reg_t function, struct window_stamps *stamps)
{
	sample_window(op_run, function, false, 0, store_stamps, stamps);
}

__attribute__((noinline)) static void take_delayed_window(reg_t function, reg_t delay,
							  struct window_stamps *stamps)
{
	sample_window(op_run, function, true, delay, store_stamps, stamps);
}

__attribute__((noinline)) static void take_cycles_window(reg_t function, reg_t delay,
							 struct window_stamps *stamps)
{
	sample_window_cycles(op_run, function, false, delay, store_cycles, stamps);
}

__attribute__((noinline)) static void take_events_window(reg_t function, reg_t delay,
							 struct window_stamps *stamps)
{
	sample_window_cycles(op_run, function, true, delay, store_cycles, stamps);
}

static void take_stamps(reg_t function, const struct bench_params *params,
			struct window_stamps *stamps)
{
	switch (sample_form_single(params)) {
	case FORM_CYCLES:
		take_cycles_window(function, params->delay, stamps);
		break;
	case FORM_EVENTS:
		take_events_window(function, params->delay, stamps);
		break;
	case FORM_DELAYED:
		take_delayed_window(function, params->delay, stamps);
		break;
	default:
		take_window(function, stamps);
	}
}

static void add_sample(struct samples *samples, const struct window_stamps *stamps)
{
	if (events_count())
		samples_sink_events(samples, stamps->from, stamps->until, stamps->cycles);
	else if (sample_has_cycles())
		samples_add_cycles(samples, stamps->from, stamps->until, stamps->cycles);
	else
		samples_add(samples, stamps->from, stamps->until);
}

/* The first tick comes at another time in every run. If an interrupt corrupts a program, the
 * checksums of the runs differ. */
static void run_once(const struct guest_run *run, const struct program *program, uint32_t index,
		     struct samples *samples, struct outcome *outcome)
{
	struct window_stamps stamps;
	uint32_t checksum;

	libc_reset((uintptr_t)mmu_free_start(), HEAP_SIZE);
	program->prepare(run->bench.params.seed);
	state_prepare();
	if (program->ticks)
		tick_start(tick.period * (index + 1) / (run->bench.params.n + 1));
	take_stamps((reg_t)program->run, &run->bench.params, &stamps);
	if (program->ticks)
		tick_stop(run, stamps.until, outcome);
	add_sample(samples, &stamps);
	checksum = program->checksum();
	if (index == 0)
		outcome->checksum = checksum;
	outcome->different += checksum != outcome->checksum;
}

static void report_checksum(const struct outcome *outcome)
{
	struct member members[] = {
		{ "checksum", outcome->checksum },
		{ "different", outcome->different },
	};

	report_check("checksum", outcome->different == 0, members, ARRAY_SIZE(members));
}

static void report_ticks(const struct outcome *outcome)
{
	struct member members[] = {
		{ "ticks", outcome->ticks },
		{ "expected", outcome->ticks_expected },
		{ "overrun", outcome->overrun },
		{ "wrong_runs", outcome->ticks_wrong },
		{ "period_ticks", (int64_t)tick.period },
	};

	report_check("ticks", outcome->ticks_wrong == 0, members, ARRAY_SIZE(members));
}

/* With stage 2 on, the device has counted the words too. */
static void report_device(void)
{
	uint32_t count = mmio_read32(device.base + NULL_DEVICE_COUNT);
	uint32_t sum = mmio_read32(device.base + NULL_DEVICE_SUM);
	struct member members[] = {
		{ "written", device.count },
		{ "count", count },
		{ "written_sum", device.sum },
		{ "sum", sum },
	};

	report_check("device", device.count > 0 && count == device.count && sum == device.sum,
		     members, ARRAY_SIZE(members));
}

static void prepare_tick(const struct guest_run *run)
{
	uint32_t us = run->bench.params.period_us;

	tick.period = (uint64_t)run->counter_hz * (us ? us : TICK_DEFAULT_US) / 1000000;
	irq_set_handler(run->virt_timer_intid, on_tick);
	gic_enable(run->virt_timer_intid);
}

static void prepare_memory(const struct guest_run *run)
{
	mmu_map_memory(mmu_free_start(), HEAP_SIZE);
	device.base = (uintptr_t)run->device_base;
}

const char *program_prepare(const struct guest_run *run)
{
	uint64_t end = run->ram_base + run->ram_size;

	if (run->no_fp)
		return "programs need FP registers, which this machine does not have";
	return mmu_free_start() + HEAP_SIZE > end ? "not enough memory" : NULL;
}

void program_run(const struct guest_run *run, const struct program *program)
{
	struct samples *samples = samples_begin();
	struct outcome outcome = { 0 };

	prepare_memory(run);
	if (program->ticks)
		prepare_tick(run);
	hvc(HC_ID(MEASURE), 1, 0);
	for (uint32_t i = 0; i <= run->bench.params.n; i++)
		run_once(run, program, i, samples, &outcome);
	hvc(HC_ID(MEASURE), 0, 0);
	report_pair("run", samples, false);
	report_checksum(&outcome);
	if (program->ticks)
		report_ticks(&outcome);
	if (program->output && run->config.stage2 != STAGE2_OFF)
		report_device();
}
