/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest/measure/wakeup.h with the physical timer, CNTP. If the guest owns CNTP, the path is as long
 * as timer_wakeup's to the instruction. If EL2 emulates CNTP, CNTHP's interrupt exits, EL2 raises
 * the line of PPI 30, and the virtual GIC puts the interrupt into a list register. Up to the task
 * an emulated timer has two more exits: the handler's write to CNTP_CTL, which lowers the line, and
 * the end of an interrupt whose line was high.
 * Proof: tests/qemu/test_cntp.py; gate: tests/expected.
 */
#include "guest/kernel/ptimer.h"
#include "guest/measure/wakeup.h"

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
