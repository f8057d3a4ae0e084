/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: tests/unit/vgic_spi.c tests/unit/vgic_guest.c drivers/gic/gicv3.c drivers/gic/gic_dist.c */
/* LINK: hyp/vgic.c hyp/vdist.c hyp/trap.c hyp/arch/armv8/sysreg_trap.c hyp/hypercall.c */
/* LINK: hyp/exit_stats.c hyp/record.c */
#include "tests/unit/vgic_spi.h"

int main(void)
{
	return vgic_spi_tests("vgic_spi_gicv3");
}
