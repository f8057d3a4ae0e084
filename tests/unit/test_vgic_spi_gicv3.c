/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_spi.c drivers/gic/gicv3.c */
#include "tests/unit/vgic_spi.h"

int main(void)
{
	return vgic_spi_tests("vgic_spi_gicv3");
}
