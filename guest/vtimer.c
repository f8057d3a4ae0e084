/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/vtimer.h"

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
