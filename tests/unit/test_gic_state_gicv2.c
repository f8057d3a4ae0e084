/* SPDX-License-Identifier: Apache-2.0 */
/* gic_state.c on a GICv2. */
/* LINK: tests/unit/gic_state.c hyp/sched.c hyp/vtimer.c hyp/fp.c drivers/timer/generic_timer.c */
/* LINK: tests/unit/vgic_guest.c drivers/gic/gicv2.c drivers/gic/gic_dist.c hyp/vgic.c */
/* LINK: hyp/vdist.c hyp/trap.c hyp/arch/armv8/sysreg_trap.c hyp/hypercall.c */
/* LINK: hyp/exit_stats.c hyp/record.c */
#include "tests/unit/gic_state.h"

int main(void)
{
	return gic_state_tests();
}
