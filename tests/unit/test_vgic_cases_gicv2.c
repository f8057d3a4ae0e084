/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path tests/unit/vgic_cases.c vgic-oracle drivers/gic/gicv2.c */
#include "tests/unit/vgic_cases.h"

int main(void)
{
	return vgic_case_tests("vgic_cases_gicv2");
}
