/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_spi.c drivers/gic/gicv2.c */
#include "tests/unit/vgic_spi.h"

int main(void)
{
	return vgic_spi_tests("vgic_spi_gicv2");
}
