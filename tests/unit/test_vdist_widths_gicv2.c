/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/vdist_widths.c drivers/gic/gicv2.c */
#include "tests/unit/vdist_widths.h"

int main(void)
{
	return vdist_widths_tests("vdist_widths_gicv2");
}
