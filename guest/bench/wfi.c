/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending: a WFI that does not wait, since an SGI to this core is pending. The window has the WFI
 * (raw under icount 4) or, with wfi=trapped, the exit. PSTATE.I masks the SGI, which must come
 * exactly once after the samples; otherwise the step is refused. The benchmark is skipped with
 * wfi=trapped irq=direct, where EL2 would wait.
 *
 * A WFI that does not wait need not trap (HCR_EL2.TWI: DDI 0487 D13.2.48; HCR: DDI 0406C B4.1.65),
 * and does not trap on QEMU. With wfi=trapped the benchmark therefore also keeps the SGI from being
 * signalled, by another active SGI of its priority: the WFI would wait and exits, and EL2, which
 * finds an interrupt pending for this vCPU, resumes the vCPU at once.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "arch/barrier.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/irq.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define SGI_ID 1u
#define SGI_HOLDING 2u /* the active SGI */
#define LOOKS 10000000u

static volatile uint32_t taken_count;

static void on_pending(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	taken_count++;
}

OPS_INLINE reg_t op_wfi(reg_t state)
{
	wfi();
	return state;
}

/* Acknowledge an SGI and leave it active. Return its IAR. */
static uint32_t hold(void)
{
	uint32_t iar = GIC_SPURIOUS;

	gic_enable(SGI_HOLDING);
	gic_send_sgi_self(SGI_HOLDING);
	for (uint32_t left = LOOKS; gic_intid(iar) != SGI_HOLDING && left; left--)
		iar = gic_ack();
	if (gic_intid(iar) != SGI_HOLDING)
		guest_refuse("an SGI to self did not arrive, SGI", SGI_HOLDING);
	return iar;
}

/* Pend the SGI. The first WFI waits until the SGI has arrived at this core. */
static void pend(void)
{
	irq_set_handler(SGI_ID, on_pending);
	gic_enable(SGI_ID);
	gic_send_sgi_self(SGI_ID);
	wfi();
}

/* Check that the SGI was pending all the time: it comes once, and now. */
static void check_was_pending(void)
{
	uint32_t before = taken_count;

	irq_unmask();
	irq_mask();
	if (before != 0 || taken_count != 1)
		guest_refuse("the SGI did not stay pending, times taken", taken_count);
}

/*
 * With direct interrupts EL2 cannot see an interrupt that is pending but not signalled, and would
 * wait.
 */
static const char *wfi_prepare(const struct guest_run *run)
{
	if (run->config.wfi == WFI_TRAPPED && run->config.irq == IRQ_DIRECT)
		return "with direct interrupts no WFI both exits and returns at once";
	return NULL;
}

static void wfi_run(const struct guest_run *run)
{
	bool trapped = run->config.wfi == WFI_TRAPPED;
	struct samples *samples = samples_begin();
	uint32_t held = trapped ? hold() : 0;

	pend();
	sample_pairs(&run->bench.params, samples, op_wfi, 0);
	if (trapped)
		gic_eoi(held);
	check_was_pending();
	/* the path is one instruction */
	report_pair("pending", samples, run->config.wfi == WFI_NATIVE);
}

static const struct bench wfi_bench = {
	.name = "wfi",
	.prepare = wfi_prepare,
	.run = wfi_run,
};
BENCH(wfi_bench);
