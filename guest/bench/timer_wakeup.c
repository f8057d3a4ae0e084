/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest/measure/wakeup.h with the virtual timer, CNTV. Stamps are CNTPCT, so CNTPCT - CNTVCT must
 * be the offset that the hypervisor reported to the guest.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "guest/kernel/vtimer.h"
#include "guest/measure/wakeup.h"

WAKEUP_HANDLERS(vtimer_quiet)

static void timer_wakeup_run(const struct guest_run *run)
{
	const struct wakeup_timer timer = {
		.intid = run->virt_timer_intid,
		.arm = vtimer_arm,
		.on_timer = on_timer,
		.on_timer_wake = on_timer_wake,
	};

	vtimer_check_offset();
	wakeup_run(run, &timer);
}

static const struct bench timer_wakeup = { .name = "timer_wakeup", .run = timer_wakeup_run };
BENCH(timer_wakeup);
