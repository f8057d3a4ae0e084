/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vgicd_widths.c drivers/gic/gicv2.c */
#include "tests/unit/vgicd_widths.h"

int main(void)
{
	return vgicd_widths_tests("vgicd_widths_gicv2");
}
