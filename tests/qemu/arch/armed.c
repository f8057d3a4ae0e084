/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that arms CNTV with the largest CVAL, as NuttX and Zephyr do. It stops with 1 if CNTVCT
 * differs from CNTPCT: with an offset, QEMU's timers fail if CVAL plus CNTVOFF passes 2^64.
 */
#include "guest_core.h"
#include "vcpus.h"
#include "wrong.h"

/* Read CNTVCT between two reads of CNTPCT. */
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
