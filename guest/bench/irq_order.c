/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check without times: interrupts that are pending together must come in the order of their
 * priorities, each once.
 *   spi  up to 16 SPIs with distinct priorities, pended by one write to GICD_ISPENDR while
 *        interrupts are masked: more than a GIC has list registers. After a 64th of a second
 *        `handled` must equal `pended`, and `out_of_order` must be 0. Skipped below two SPIs
 *   sgi  SGIs 1 to 4 to this core, likewise; `wrong_source` counts SGIs whose source in IAR is
 *        another core (GICv2; GICv3 has no such field)
 * Proof: tests/qemu/test_irq.py.
 */
#include "arch/mmio.h"
#include "drivers/gic/gic_regs.h"
#include "guest/kernel/irq.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define SPI_MAX 16u
#define SGI_COUNT 4u
#define PRIORITY_STEP 16u /* every GIC implements the upper four bits */
#define WAIT_HZ_SHIFT 6   /* a 64th of a second for all of them to arrive */

static volatile uint32_t arrived_iar[SPI_MAX];
static volatile uint32_t arrived_count;

static void on_interrupt(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	if (arrived_count < SPI_MAX)
		arrived_iar[arrived_count] = iar;
	arrived_count++;
}

/* Return a rank; rank 0 is served first. 7 has no common divisor with the counts (16, 8, 4 …), so
 * every rank occurs once, in another order than the INTIDs. */
static unsigned rank_of(unsigned index, unsigned count)
{
	return (index * 7 + 3) % count;
}

static void prepare_interrupts(unsigned first, unsigned count)
{
	arrived_count = 0;
	for (unsigned i = 0; i < count; i++) {
		gic_set_priority(first + i, (uint8_t)(rank_of(i, count) * PRIORITY_STEP));
		irq_set_handler(first + i, on_interrupt);
		gic_enable(first + i);
	}
}

/*
 * Wait for the whole time even if all interrupts have come: an interrupt that comes twice must be
 * seen.
 */
static void let_arrive(const struct guest_run *run)
{
	uint64_t end = counter_read() + (run->counter_hz >> WAIT_HZ_SHIFT);

	irq_unmask();
	while (read_cntpct_el0() < end)
		;
	irq_mask();
}

static unsigned count_wrong(unsigned first, unsigned count)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned index = gic_intid(arrived_iar[i]) - first;

		if (i >= arrived_count || index >= count || rank_of(index, count) != i)
			wrong++;
	}
	return wrong;
}

/* Count SGIs from another core. A core's own number is the bit set in its ITARGETSR0; a single core
 * reads 0 and has number 0 (IHI 0048B 4.3.12). */
static unsigned count_wrong_sources(const struct guest_run *run, unsigned count)
{
	uint32_t self = mmio_read32((uintptr_t)run->gicd_base + GICD_ITARGETSR) & 0xff;
	unsigned wrong = 0;

	for (unsigned i = 0; i < count; i++)
		if (1u << gic_source(arrived_iar[i]) != (self ? self : 1))
			wrong++;
	return wrong;
}

static void run_spis(const struct guest_run *run, unsigned count)
{
	unsigned wrong;

	prepare_interrupts(GIC_PRIVATE_COUNT, count);
	mmio_write32((uintptr_t)run->gicd_base + GICD_ISPENDR + 4, (uint32_t)((1ull << count) - 1));
	let_arrive(run);
	wrong = count_wrong(GIC_PRIVATE_COUNT, count);

	struct member members[] = {
		{ "pended", count },
		{ "handled", arrived_count },
		{ "out_of_order", wrong },
		{ "spurious", irq_spurious_count() },
	};
	report_check("spi", wrong == 0 && arrived_count == count, members, 4);
}

static void run_sgis(const struct guest_run *run)
{
	unsigned wrong, wrong_source;

	prepare_interrupts(1, SGI_COUNT);
	for (unsigned i = 0; i < SGI_COUNT; i++)
		gic_send_sgi_self(1 + i);
	let_arrive(run);
	wrong = count_wrong(1, SGI_COUNT);
	wrong_source = gic_version() == 2 ? count_wrong_sources(run, SGI_COUNT) : 0;

	struct member members[] = {
		{ "pended", SGI_COUNT },
		{ "handled", arrived_count },
		{ "out_of_order", wrong },
		{ "wrong_source", wrong_source },
		{ "spurious", irq_spurious_count() },
	};
	report_check("sgi", wrong == 0 && wrong_source == 0 && arrived_count == SGI_COUNT, members,
		     5);
}

static unsigned usable_spis(const struct guest_run *run)
{
	unsigned count = SPI_MAX;

	while (count > run->spi_count)
		count /= 2;
	return count;
}

static const char *irq_order_prepare(const struct guest_run *run)
{
	return usable_spis(run) < 2 ? "fewer than two interrupts to pend" : NULL;
}

static void irq_order_run(const struct guest_run *run)
{
	run_spis(run, usable_spis(run));
	run_sgis(run);
}

static const struct bench irq_order = {
	.name = "irq_order",
	.prepare = irq_order_prepare,
	.run = irq_order_run,
};
BENCH(irq_order);
