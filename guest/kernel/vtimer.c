/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/vtimer.h"

#include "drivers/gic/gic.h"
#include "guest/kernel/fail.h"

#define FAR_SHIFT 40 /* 2^40 ticks: 18 minutes at 1 GHz, 5 hours at 62.5 MHz */

uint64_t vtimer_offset;

void vtimer_check_offset(void)
{
	uint64_t before = counter_read();
	uint64_t virt = read_cntvct_el0();
	uint64_t after = counter_read();

	virt += vtimer_offset;
	if (virt < before || virt > after)
		guest_refuse("CNTVCT and its offset do not add up to CNTPCT, but to", virt);
}

void vtimer_begin(const struct guest_run *run)
{
	if (run->config.vtimer != VTIMER_ARMED)
		return;
	gic_enable(run->virt_timer_intid);
	vtimer_arm(counter_read() + (1ull << FAR_SHIFT));
}
