/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that lets its periodic timer run late: the handler moves the compare value by one period,
 * so that the line may still be high at the EOI. A lost tick leaves the guest asleep. The guest
 * runs with interrupts masked. Defines: CPUS; GIC, 2 or 3; TIMER, 27 for CNTV or 30 for CNTP;
 * ROUNDS, after which the guest ends.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define PERIOD 20000u
#define VIRTUAL_TIMER 27

static uint64_t clock(void)
{
	isb();
	return TIMER == VIRTUAL_TIMER ? read_cntvct_el0() : read_cntpct_el0();
}

static void arm(uint64_t cval)
{
	if (TIMER == VIRTUAL_TIMER)
		cntv_at(cval, 1);
	else
		cntp_at(cval, 1);
}

void first_main(void)
{
	uint64_t due;
	uint32_t iar;

	interface_on(0);
	mmio_write32(private_of(0) + ISENABLER, 1u << TIMER);
	due = clock() + PERIOD;
	arm(due);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		iar = next_interrupt();
		if ((iar & 0x3ff) != TIMER)
			stop_with(iar & 0x3ff);
		if (round % 4 == 1) /* the next tick is due within this handler */
			while (clock() < due + PERIOD + PERIOD / 2)
				;
		due += PERIOD;
		arm(due);
		end(false, iar);
	}
	psci(SYSTEM_OFF, 0, 0, 0);
}
