/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads of interrupts: each comes as soon as the last one was handled.
 *   load_irq  the VM's own virtual timer, which has expired when it is programmed
 *   load_sgi  an SGI from vCPU 0 to itself
 */
#include "guest/kernel/guest_arch.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/vtimer.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"

#define SGI_ID 1u

static volatile uint32_t arrived;

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	arrived++;
}

static void on_sgi(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	arrived++;
}

static void take(unsigned intid, irq_handler handler)
{
	irq_set_handler(intid, handler);
	gic_enable(intid);
	irq_unmask();
}

static void begin_irq(const struct guest_run *run)
{
	take(run->virt_timer_intid, on_timer);
}

static void begin_sgi(const struct guest_run *run)
{
	(void)run;
	take(SGI_ID, on_sgi);
}

static void irq_round(uintptr_t piece)
{
	uint32_t before = arrived;

	(void)piece;
	vtimer_arm(counter_read());
	while (arrived == before)
		;
}

static void sgi_round(uintptr_t piece)
{
	uint32_t before = arrived;

	(void)piece;
	gic_send_sgi(SGI_ID, 0);
	while (arrived == before)
		;
}

static const struct load load_irq = {
	.beside = "load_irq",
	.begin = begin_irq,
	.round = irq_round,
};
static const struct load load_sgi = {
	.beside = "load_sgi",
	.begin = begin_sgi,
	.round = sgi_round,
};
LOAD(load_irq);
LOAD(load_sgi);
