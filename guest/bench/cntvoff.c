/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of CNTVOFF (the axis cntvoff_us), without times. The members of the check record:
 * `offset` is the offset in ticks that the hypervisor reports; `cntvct` is CNTVCT when the
 * benchmark begins; `in_time` and `in_time_physical` count, out of n expiries of CNTV and of CNTP,
 * the interrupts that were not too early by CNTPCT and CNTVCT; `never` counts interrupts of a CVAL
 * that the counter never reaches. An offset does not change the figures of other benchmarks: every
 * conversion is done before a window opens.
 * Proof: tests/qemu/test_timers.py.
 */
#include "guest/kernel/irq.h"
#include "guest/kernel/ptimer.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"

#define LATE_HZ_SHIFT 4  /* a sixteenth of a second: longer than any turn of another VM */
#define NEVER_HZ_SHIFT 8 /* the check of `never` lasts some turns of other VMs */

static volatile uint32_t fired;
static volatile uint64_t fired_at, fired_at_virtual;

static void note(void)
{
	fired_at = counter_read();
	fired_at_virtual = read_cntvct_el0();
	fired++;
}

static void on_virtual(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	note();
}

static void on_physical(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	ptimer_quiet();
	note();
}

/* Return whether a timer fired before `until`. */
static bool wait_until(uint64_t until)
{
	irq_unmask();
	while (!fired && counter_read() < until)
		;
	irq_mask();
	return fired == 1;
}

/* Return how many of n interrupts came, and were not too early by either counter. */
static uint32_t count_in_time(const struct guest_run *run, void (*arm)(uint64_t ticks))
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < run->bench.params.n; i++) {
		uint64_t at = counter_read() + run->bench.params.period;

		fired = 0;
		arm(at);
		count += wait_until(at + (run->counter_hz >> LATE_HZ_SHIFT)) && fired_at >= at &&
			 fired_at_virtual >= at - run->cntvoff;
	}
	return count;
}

static uint32_t count_never(const struct guest_run *run)
{
	fired = 0;
	write_cntv_cval_el0(UINT64_MAX);
	write_cntv_ctl_el0(VTIMER_ENABLE);
	ptimer_arm(UINT64_MAX);
	wait_until(counter_read() + (run->counter_hz >> NEVER_HZ_SHIFT));
	write_cntv_ctl_el0(0);
	ptimer_off();
	return fired;
}

static void cntvoff_run(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n;
	uint64_t virt = read_cntvct_el0();
	uint32_t in_time, in_time_physical, never;

	vtimer_check_offset();
	irq_set_handler(run->virt_timer_intid, on_virtual);
	irq_set_handler(run->phys_timer_intid, on_physical);
	gic_enable(run->virt_timer_intid);
	gic_enable(run->phys_timer_intid);
	in_time = count_in_time(run, vtimer_arm);
	in_time_physical = count_in_time(run, ptimer_arm);
	never = count_never(run);

	struct member members[] = {
		{ "offset", (int64_t)run->cntvoff },
		{ "cntvct", (int64_t)virt },
		{ "expiries", n },
		{ "in_time", in_time },
		{ "in_time_physical", in_time_physical },
		{ "never", never },
	};
	report_check("offset", in_time == n && in_time_physical == n && !never, members,
		     ARRAY_SIZE(members));
}

static const struct bench cntvoff = { .name = "cntvoff", .run = cntvoff_run };
BENCH(cntvoff);
