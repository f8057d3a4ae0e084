/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: tests/unit/vgic_random.c tests/unit/vgic_model.c tests/unit/vgic_guest.c */
/* LINK: drivers/gic/gicv2.c drivers/gic/gic_dist.c hyp/vgic.c hyp/vdist.c hyp/trap.c */
/* LINK: hyp/arch/armv8/sysreg_trap.c hyp/hypercall.c hyp/cold.c hyp/exit_stats.c hyp/record.c */
#include "tests/unit/vgic_random.h"

int main(void)
{
	return vgic_random_tests("vgic_random_gicv2");
}
