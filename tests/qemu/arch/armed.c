/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that arms CNTV for ever, as NuttX and Zephyr do. It stops with 1 where CNTVCT is not
 * CNTPCT: with an offset, QEMU's timers fail where CVAL plus CNTVOFF passes 2^64.
 */
#include "guest_core.h"
#include "vcpus.h"
#include "wrong.h"

/* CNTVCT is read between the two. */
static bool has_an_offset(void)
{
	uint64_t before, virtual, after;

	isb();
	before = read_cntpct_el0();
	virtual = count();
	isb();
	after = read_cntpct_el0();
	return virtual < before || virtual > after;
}

void first_main(void)
{
	cntv_at(~UINT64_C(0), 1);
	if (has_an_offset())
		stop_with(1);
	psci(SYSTEM_OFF, 0, 0, 0);
}
