/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 1 to 32 device interrupts that are pending together, in 16 priorities: the time until each of
 * them is handled. They are physical SPIs, pended while interrupts are masked. Variant m-i is the
 * i-th of m (1, 2, 4, 5, 8, 16, 32) interrupts. Its window begins with the read before the
 * unmasking and ends with the first statement of the i-th handler, so it includes the handlers
 * before. If the hypervisor injects the interrupts, those beyond the list registers wait for a free
 * one, and the window includes the refills. A check record for each m: every interrupt came once
 * (`pended` = `handled`, `twice` 0), in the order of priorities (`out_of_order` 0). With delay=N
 * the i-th interrupt is i N later; with eoi=split every end takes two writes.
 * Proof: tests/qemu/test_timers.py.
 */
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/report.h"
#include "guest/measure/state.h"
#include "lib/bits.h"

#define STORM_MAX 32u
#define PRIORITY_COUNT 16u /* every GIC implements the upper four bits */
#define PRIORITY_STEP 16u
#define GRACE_HZ_SHIFT 1 /* an interrupt counts as lost after half a second */

static const uint8_t storm_sizes[] = { 1, 2, 4, 5, 8, 16, 32 };

static volatile uint64_t stamp[STORM_MAX];
static volatile uint32_t arrived_intid[STORM_MAX];
static volatile uint32_t arrived_count;

/* Counts over all storms of one size. */
struct storm_count {
	uint32_t pended;
	uint32_t handled;
	uint32_t out_of_order;
	uint32_t twice;
};

static void on_storm(uint64_t vector_ticks, uint32_t iar)
{
	uint64_t now = counter_read();
	uint32_t i = arrived_count;

	(void)vector_ticks;
	if (i < STORM_MAX) {
		stamp[i] = now;
		arrived_intid[i] = gic_intid(iar);
	}
	arrived_count = i + 1;
}

/* The order of priorities differs from the order of INTIDs. With more than 16 interrupts, two of
 * them share a priority. */
static uint8_t priority_of(uint32_t index)
{
	return (uint8_t)((index * 7 + 3) % PRIORITY_COUNT * PRIORITY_STEP);
}

static void prepare_interrupts(const struct guest_run *run, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		unsigned intid = run->physical_spi_first + i;

		gic_set_priority(intid, priority_of(i));
		irq_set_handler(intid, on_storm);
		gic_enable(intid);
	}
}

/*
 * Let the interrupts come; they are masked before and after. Return the counter at the unmasking.
 */
static uint64_t unleash(const struct guest_run *run, uint32_t count)
{
	uint64_t from, deadline;

	arrived_count = 0;
	for (uint32_t i = 0; i < count; i++)
		gic_set_pending(run->physical_spi_first + i);
	state_prepare();
	deadline = counter_read() + (run->counter_hz >> GRACE_HZ_SHIFT);
	from = counter_read();
	irq_unmask();
	while (arrived_count < count && read_cntpct_el0() < deadline)
		;
	irq_mask();
	return from;
}

static void examine(const struct guest_run *run, uint32_t count, struct storm_count *total)
{
	uint32_t seen = 0;
	uint8_t last = 0;

	total->pended += count;
	total->handled += arrived_count;
	for (uint32_t i = 0; i < count && i < arrived_count; i++) {
		uint32_t index = arrived_intid[i] - run->physical_spi_first;

		total->twice += seen >> index & 1;
		seen |= 1u << index;
		total->out_of_order += priority_of(index) < last;
		last = priority_of(index);
	}
}

static void report_position(uint32_t count, uint32_t position, const struct samples *samples)
{
	char variant[8];
	struct text text;
	struct member members[] = { { "pended", count }, { "position", position } };
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
		.members = members,
		.member_count = 2,
	};

	text_init(&text, variant, sizeof(variant));
	text_u64(&text, count);
	text_char(&text, '-');
	text_u64(&text, position);
	report_bench(&info, samples);
}

/* Run storms of one size, and take the stamp of one position in each. */
static void run_position(const struct guest_run *run, uint32_t count, uint32_t position,
			 struct storm_count *total)
{
	struct samples *samples = samples_begin();

	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t from = unleash(run, count);

		examine(run, count, total);
		if (arrived_count != count)
			guest_refuse("interrupts are missing or too many, handled", arrived_count);
		samples_add(samples, from, stamp[position - 1]);
	}
	report_position(count, position, samples);
}

static void run_storm(const struct guest_run *run, uint32_t count)
{
	struct storm_count total = { 0, 0, 0, 0 };
	char variant[8];
	struct text text;

	prepare_interrupts(run, count);
	for (uint32_t position = 1; position <= count; position++)
		run_position(run, count, position, &total);

	struct member members[] = {
		{ "pended", total.pended },
		{ "handled", total.handled },
		{ "out_of_order", total.out_of_order },
		{ "twice", total.twice },
		{ "spurious", irq_spurious_count() },
	};
	text_init(&text, variant, sizeof(variant));
	text_u64(&text, count);
	report_check(variant,
		     total.handled == total.pended && total.out_of_order == 0 && total.twice == 0,
		     members, ARRAY_SIZE(members));
}

static const char *irq_storm_prepare(const struct guest_run *run)
{
	return irq_no_spis(run, STORM_MAX);
}

static void irq_storm_run(const struct guest_run *run)
{
	guest_arch_irq_delay(run->bench.params.delay);
	for (unsigned i = 0; i < ARRAY_SIZE(storm_sizes); i++)
		if (storm_sizes[i] <= run->physical_spi_count)
			run_storm(run, storm_sizes[i]);
}

static const struct bench irq_storm = {
	.name = "irq_storm",
	.prepare = irq_storm_prepare,
	.run = irq_storm_run,
};
BENCH(irq_storm);
