/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An SGI from this core to itself with interrupts unmasked. The window goes from the isb after the
 * opening read, through the one store to GICD_SGIR (GICv2) or msr ICC_SGI1R_EL1 (GICv3) with its
 * value ready in a register, to a stamp.
 *   vector   the vector stamp. Raw under icount, natively: 4 on AArch64 (isb str stp mrs), 5
 *            on AArch32 (with a branch in the vector table)
 *   handler  the handler's first statement
 * The subtracted overhead is that of a pair, although a vector stamp needs no isb before it: vector
 * is too low by the cost of one isb. Each SGI must be handled before the next one is sent. The
 * write stands here and not in the driver's gic_send_sgi_self(), so that the window has one
 * instruction of sending.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "arch/mmio.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic_regs.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define SGI_ID 1u
#define SPIN_LIMIT 10000000u /* reads of the flag before an SGI counts as lost */

/* GICD_SGIR (IHI 0048B 4.3.15): TargetListFilter 2 selects the writing core. */
#define SGIR_SELF (2u << 24)

static volatile uint64_t vector_stamp, handler_stamp;
static volatile reg_t handler_cycles;
static volatile uint32_t arrived_count;

/* The way to send an SGI; a constant where the code is inlined. */
enum sender { SENDER_GICV2, SENDER_GICV3 };

static void on_sgi(uint64_t vector_ticks, uint32_t iar)
{
	(void)iar;
	handler_stamp = counter_read();
	vector_stamp = vector_ticks;
	arrived_count++;
}

/* The closing reads of a window with cycles (guest/measure/sample.h). */
static void on_sgi_cycles(uint64_t vector_ticks, uint32_t iar)
{
	reg_t cycles;

	(void)iar;
	(void)vector_ticks;
	isb();
	delay_or_none(in_register(0)); /* as in the empty window */
	cycles = pmu_cycles();
	handler_stamp = counter_read();
	handler_cycles = cycles;
	arrived_count++;
}

/* ICC_SGI1R (IHI 0069 12.2.27): this core's affinity, target list bit Aff0. */
static uint64_t sgi1r_self(void)
{
	uint64_t mpidr = read_mpidr_el1();

	return (mpidr >> 32 & 0xff) << 48 | (mpidr >> 16 & 0xff) << 32 | (mpidr >> 8 & 0xff) << 16 |
	       (uint64_t)SGI_ID << 24 | 1ull << (mpidr & 0xf);
}

static void wait_for_arrival(uint32_t sent)
{
	uint32_t left = SPIN_LIMIT;

	while (arrived_count != sent && left)
		left--;
	if (arrived_count != sent)
		guest_refuse("an SGI to self did not arrive, SGIs sent", sent);
}

OPS_INLINE void send(enum sender sender, uintptr_t sgir, uint64_t sgi1r)
{
	if (sender == SENDER_GICV2)
		mmio_write32(sgir, SGIR_SELF | SGI_ID);
	else
		sgi1r_write(sgi1r);
}

OPS_INLINE void take_samples(const struct guest_run *run, struct samples *samples,
			     enum sender sender, volatile uint64_t *stamp)
{
	uintptr_t sgir = (uintptr_t)run->gicd_base + GICD_SGIR;
	uint64_t sgi1r = sgi1r_self();

	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t from;

		state_prepare();
		from = counter_read();
		send(sender, sgir, sgi1r);
		wait_for_arrival(i + 1);
		samples_add(samples, from, *stamp);
	}
}

/* Take samples up to the handler by both clocks. */
OPS_INLINE void take_cycles(const struct guest_run *run, struct samples *samples,
			    enum sender sender)
{
	uintptr_t sgir = (uintptr_t)run->gicd_base + GICD_SGIR;
	uint64_t sgi1r = sgi1r_self();

	for (uint32_t i = 0; i <= run->bench.params.n; i++) {
		uint64_t from;
		reg_t cycles_from;

		state_prepare();
		from = counter_read();
		cycles_from = pmu_cycles();
		isb();
		send(sender, sgir, sgi1r);
		wait_for_arrival(i + 1);
		samples_add_cycles(samples, from, handler_stamp, handler_cycles - cycles_from);
	}
}

static void run_variant(const struct guest_run *run, const char *variant, volatile uint64_t *stamp)
{
	struct samples *samples = samples_begin();

	arrived_count = 0;
	if (gic_version() == 2)
		take_samples(run, samples, SENDER_GICV2, stamp);
	else
		take_samples(run, samples, SENDER_GICV3, stamp);
	report_pair(variant, samples, false);
}

static void run_handler_cycles(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	arrived_count = 0;
	irq_set_handler(SGI_ID, on_sgi_cycles);
	if (gic_version() == 2)
		take_cycles(run, samples, SENDER_GICV2);
	else
		take_cycles(run, samples, SENDER_GICV3);
	report_pair("handler", samples, false);
}

static void sgi_self_run(const struct guest_run *run)
{
	irq_set_handler(SGI_ID, on_sgi);
	gic_enable(SGI_ID);
	guest_arch_irq_delay(run->bench.params.delay);
	irq_unmask();
	run_variant(run, "vector", &vector_stamp);
	if (sample_has_cycles())
		run_handler_cycles(run);
	else
		run_variant(run, "handler", &handler_stamp);
	irq_mask();
}

static const struct bench sgi_self = { .name = "sgi_self", .run = sgi_self_run };
BENCH(sgi_self);
