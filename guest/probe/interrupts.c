/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/interrupts.h"

#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "drivers/gic/gic.h"
#include "guest/probe/calls.h"
#include "guest/probe/output.h"

static const struct machine *machine;

void interrupts_init(const struct machine *of)
{
	machine = of;
}

void gic_start(void)
{
	gic_set_bases(&machine->gic);
	gic_dist_reset();
	gic_cpu_init(false);
	gic_enable(SGI_ID);
	gic_enable(VIRT_TIMER_INTID);
}

void fail(const char *what, uint64_t value)
{
	output_begin("error");
	output_string("what", what);
	output_hex("value", value);
	output_end();
	power_off(machine);
}

uint32_t acknowledge(unsigned expected)
{
	uint32_t iar = gic_ack();

	if (gic_intid(iar) != expected)
		fail("an interrupt has another INTID than expected", iar);
	return iar;
}

void timer_end(uint32_t iar)
{
	write_cntv_ctl_el0(0); /* the timer's line drops before the interrupt ends */
	isb();
	gic_eoi(iar);
}
