/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of an interrupt, phase by phase, up to the first instruction of the EL0 task that the
 * handler wakes. The guest is busy. Window cval: nothing is subtracted.
 *   timer-total   the virtual timer, from its CVAL; equals busy-task of timer_wakeup
 *   device-total  an SPI without a device, from the stamp before HC_RAISE pends the SPI at the
 *                 physical distributor, as a wire would. EL2 has interrupts masked, so the first
 *                 phase includes the return from that hypercall, unlike the path of a real device
 * With probes=on each stamp is a variant: the time since the stamp before. The first four variants
 * exist only if EL2 takes the interrupt.
 *   el2-vector    EL2's vector, with two registers saved: timer, GIC, exception entry
 *   acknowledged  after the read of IAR: save of the frame, acknowledge
 *   injected      after the write to the list register: search of the owner, priority drop,
 *                 injection
 *   eret          before EL2 restores the registers
 *   el1-vector    the guest's vector: restore, ERET, virtual interrupt, exception entry
 *   handler       the handler's first statement: save, acknowledge, dispatch
 *   eoi           the kernel has ended the interrupt (lr=sw: including the exit of the maintenance
 *                 interrupt)
 *   task          EL0's first instruction
 * The phases of every sample must add up to the total: checks timer-sum and device-sum (`samples`,
 * `unequal`, both sums). A missing stamp or a stamp out of order refuses the step. probe-el1 and
 * probe-el2 are the cost of one stamp at each level. The total with probes, minus their cost, is
 * the total without probes and a few instructions that test delay_el2 and keep stamps. delay=N
 * makes el1-vector and the total N longer; delay_el2=N does so for el2-vector and the total (lr=sw:
 * eoi, too).
 * Proof: tests/qemu/test_phases.py; gate: tests/expected.
 */
#include "abi/probe.h"
#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/timing.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "guest/measure/wakeup.h"
#include "guest_arch/stamp.h"

/*
 * The phases in the order of the path. The first EL2_PHASES exist only if EL2 takes the interrupt.
 */
#define EL2_PHASES 4u
#define PHASES 8u
static const char *const phase_name[PHASES] = {
	"el2-vector", "acknowledged", "injected", "eret", "el1-vector", "handler", "eoi", "task",
};

/* The stamps of a path: its begin, then the ends of its phases. */
struct path {
	uint64_t from;
	uint64_t end[PHASES];
};

enum source { SOURCE_TIMER, SOURCE_DEVICE };
static const char *const source_name[] = { "timer", "device" };

static const struct guest_run *guest_run;
static bool probes;
static unsigned first_phase; /* EL2_PHASES if EL2 takes no interrupt */

static struct samples totals;
static struct samples phases[PHASES];
static uint32_t unequal; /* samples whose phases do not add up to their total */

static const volatile struct probe_stamps *el2_stamps(void)
{
	return (const volatile struct probe_stamps *)((uintptr_t)guest_run->ram_base +
						      GUEST_PROBE_OFFSET);
}

/* --- handlers: a stamp is the only difference between the two of a kind --- */

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	wakeup_task();
}

static void on_timer_stamped(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	irq_stamp_handler();
	vtimer_quiet();
	wakeup_task();
}

static void on_device(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	wakeup_task();
}

static void on_device_stamped(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	irq_stamp_handler();
	wakeup_task();
}

/* --- one interrupt --- */

static unsigned device_intid(void)
{
	return guest_run->physical_spi_first;
}

/* Both functions return the begin of the path. */
static uint64_t fire_timer(uint32_t count, struct random *random)
{
	uint64_t cval = wakeup_cval(guest_run, random);

	vtimer_arm(cval);
	wakeup_wait_busy(guest_run, count, cval);
	return cval;
}

/* The interrupt comes at the latest when the hypercall returns. */
static uint64_t fire_device(uint32_t count)
{
	uint64_t before = counter_read();

	irq_unmask();
	if (hvc(HC_ID(RAISE), device_intid(), 0) != HC_OK)
		guest_refuse("HC_RAISE refused this SPI", device_intid());
	wakeup_wait_busy(guest_run, count, before);
	if (el2_stamps()->raised < before)
		guest_refuse("HC_RAISE left no stamp, found", el2_stamps()->raised);
	return el2_stamps()->raised;
}

/* --- phases of an interrupt --- */

static void read_stamps(struct path *path)
{
	const volatile struct probe_stamps *el2 = el2_stamps();

	path->end[0] = el2->el2_vector;
	path->end[1] = el2->acknowledged;
	path->end[2] = el2->injected;
	path->end[3] = el2->eret;
	path->end[4] = irq_stamps.vector;
	path->end[5] = irq_stamps.handler;
	path->end[6] = irq_stamps.eoi;
	path->end[7] = task_shared.stamp;
}

/*
 * Check the order of the stamps. A stamp that was not taken is older than the path, because every
 * path begins after the end of the last one.
 */
static void check_order(const struct path *path)
{
	uint64_t last = path->from;

	for (unsigned i = first_phase; i < PHASES; i++) {
		if (path->end[i] < last)
			guest_refuse("a stamp is missing or out of order, phase",
				     i - first_phase + 1);
		last = path->end[i];
	}
}

static void add_phases(const struct path *path, uint64_t total)
{
	uint64_t last = path->from;
	uint64_t sum = 0;

	for (unsigned i = first_phase; i < PHASES; i++) {
		samples_add(&phases[i], last, path->end[i]);
		sum += path->end[i] - last;
		last = path->end[i];
	}
	unequal += sum != total;
}

static void add_path(uint64_t from)
{
	struct path path = { .from = from };
	uint64_t until = task_shared.stamp;

	samples_add(&totals, from, until);
	if (!probes)
		return;
	read_stamps(&path);
	check_order(&path);
	add_phases(&path, until - from);
}

static void take_samples(enum source source)
{
	uint32_t task_count = task_shared.count;
	struct random random;

	timing_begin();
	samples_reset(&totals);
	for (unsigned i = 0; i < PHASES; i++)
		samples_reset(&phases[i]);
	unequal = 0;
	wakeup_handled = 0;
	random_init(&random, guest_run->bench.params.seed, source);
	for (uint32_t i = 0; i <= guest_run->bench.params.n; i++) {
		uint64_t from;

		state_prepare();
		from = source == SOURCE_TIMER ? fire_timer(i, &random) : fire_device(i);
		wakeup_check_handled(i + 1);
		wakeup_check_task(i + 1, task_count);
		add_path(from);
	}
}

/* Return the name of a variant, such as "timer-eoi". */
static const char *variant_of(enum source source, const char *what)
{
	static char name[32];
	struct text text;

	text_init(&text, name, sizeof(name));
	text_string(&text, source_name[source]);
	text_char(&text, '-');
	text_string(&text, what);
	text_char(&text, '\0');
	return name;
}

static void report(enum source source, const char *what, const struct samples *samples,
		   const struct member *members, unsigned count)
{
	struct bench_info info = {
		.variant = variant_of(source, what),
		.window = WINDOW_CVAL,
		.batch = 1,
		.may_be_zero = samples != &totals, /* a phase may be shorter than a tick */
		.members = members,
		.member_count = count,
	};

	report_bench(&info, samples);
}

static void report_total(enum source source)
{
	struct member members[] = { { "phases", PHASES - first_phase } };

	report(source, "total", &totals, members, 1);
}

static void report_phases(enum source source)
{
	for (unsigned i = first_phase; i < PHASES; i++) {
		struct member members[] = { { "phase", i - first_phase + 1 },
					    { "phases", PHASES - first_phase } };

		report(source, phase_name[i], &phases[i], members, 2);
	}
}

/* Return the sum of the samples as the records have it: the warm samples and the cold one. */
static uint64_t ticks_in(const struct samples *samples)
{
	return samples->raw.stats.sum + samples->cold;
}

static void report_sum(enum source source)
{
	uint64_t sum = 0;

	for (unsigned i = first_phase; i < PHASES; i++)
		sum += ticks_in(&phases[i]);

	struct member members[] = {
		{ "samples", totals.taken },
		{ "phases", PHASES - first_phase },
		{ "unequal", unequal },
		{ "phase_ticks", (int64_t)sum },
		{ "total_ticks", (int64_t)ticks_in(&totals) },
	};
	report_check(variant_of(source, "sum"), unequal == 0 && sum == ticks_in(&totals), members,
		     5);
}

static void run_source(enum source source, unsigned intid, irq_handler handler)
{
	irq_set_handler(intid, handler);
	gic_enable(intid);
	take_samples(source);
	gic_disable(intid);
	report_total(source);
	if (!probes)
		return;
	report_phases(source);
	report_sum(source);
}

/* --- the cost of a stamp --- */

OPS_INLINE reg_t op_stamp(reg_t state)
{
	irq_stamp_handler();
	return state;
}

static void run_probe_el1(void)
{
	struct samples *samples = samples_begin();
	struct bench_params params = { .n = guest_run->bench.params.n };

	sample_pairs(&params, samples, op_stamp, 0);
	report_pair("probe-el1", samples, true);
}

/* HC_RAISE takes two stamps in succession. The SPI is disabled, so it becomes pending without an
 * interrupt. */
static void run_probe_el2(void)
{
	struct samples *samples = samples_begin();
	struct bench_info info = {
		.variant = "probe-el2",
		.window = WINDOW_CVAL,
		.batch = 1,
		.may_be_zero = true,
	};

	for (uint32_t i = 0; i <= guest_run->bench.params.n; i++) {
		state_prepare();
		hvc(HC_ID(RAISE), device_intid(), 0);
		samples_add(samples, el2_stamps()->before_raised, el2_stamps()->raised);
	}
	gic_clear_pending(device_intid());
	report_bench(&info, samples);
}

static const char *irq_phases_prepare(const struct guest_run *run)
{
	return irq_no_spis(run, 1);
}

static void irq_phases_run(const struct guest_run *run)
{
	guest_run = run;
	probes = run->config.probes;
	first_phase = run->config.irq == IRQ_TRAPPED ? 0 : EL2_PHASES;
	if (probes)
		guest_arch_irq_stamps(run->bench.params.delay);
	else
		guest_arch_irq_delay(run->bench.params.delay);
	run_source(SOURCE_TIMER, run->virt_timer_intid, probes ? on_timer_stamped : on_timer);
	run_source(SOURCE_DEVICE, device_intid(), probes ? on_device_stamped : on_device);
	if (!probes)
		return;
	run_probe_el1();
	if (run->config.irq == IRQ_TRAPPED)
		run_probe_el2();
}

static const struct bench irq_phases = {
	.name = "irq_phases",
	.prepare = irq_phases_prepare,
	.run = irq_phases_run,
};
BENCH(irq_phases);
