/* SPDX-License-Identifier: Apache-2.0 */
#include "arch/counter.h"
#include "drivers/timer/timer.h"

#define CNT_CTL_ENABLE 1u

bool timer_counter_advances(void)
{
	uint64_t first = counter_read();

	for (unsigned i = 0; i < 1000; i++)
		if (counter_read() != first)
			return true;
	return false;
}

void timer_hyp_start(uint64_t cval_ticks)
{
	write_cnthp_cval_el2(cval_ticks);
	write_cnthp_ctl_el2(CNT_CTL_ENABLE);
	isb();
}

void timer_hyp_move(uint64_t cval_ticks)
{
	write_cnthp_cval_el2(cval_ticks);
	isb();
}

void timer_hyp_stop(void)
{
	write_cnthp_ctl_el2(0);
	isb();
}
