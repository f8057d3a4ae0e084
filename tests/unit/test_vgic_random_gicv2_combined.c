/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_random.c vgic-oracle gicv2-combined */
#include "tests/unit/vgic_random.h"

int main(void)
{
	return vgic_random_tests("vgic_random_gicv2_combined");
}
