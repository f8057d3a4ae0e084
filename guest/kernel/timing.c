/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/timing.h"

#include <stdbool.h>

#include "arch/gem5.h"

static bool switches; /* the platform has two models of a core */
static bool timed;

void timing_init(const struct guest_run *run)
{
	switches = run->gem5;
	timed = switches; /* EL2 may have switched already, or a guest that did not reach its end */
	if (!run->bench.params.timed)
		timing_end();
}

void timing_begin(void)
{
	if (!switches || timed)
		return;
	gem5_work_begin();
	timed = true;
}

void timing_end(void)
{
	if (!timed)
		return;
	gem5_work_end();
	timed = false;
}
