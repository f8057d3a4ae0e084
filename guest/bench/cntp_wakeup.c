/* SPDX-License-Identifier: Apache-2.0 */
/* guest/wakeup.h with the physical timer, CNTP: the guest's own, or emulated. */
#include "guest/ptimer.h"
#include "guest/wakeup.h"

WAKEUP_HANDLERS(ptimer_quiet)

static void cntp_wakeup_run(const struct guest_run *run)
{
	const struct wakeup_timer timer = {
		.intid = run->phys_timer_intid,
		.arm = ptimer_arm,
		.on_timer = on_timer,
		.on_timer_wake = on_timer_wake,
	};

	wakeup_run(run, &timer);
}

static const struct bench cntp_wakeup = { .name = "cntp_wakeup", .run = cntp_wakeup_run };
BENCH(cntp_wakeup);
