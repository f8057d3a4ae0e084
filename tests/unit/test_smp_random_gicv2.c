/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: exit-path-of-cores tests/unit/smp_random.c smp-oracle drivers/gic/gicv2.c */
#include "tests/unit/smp_random.h"

int main(void)
{
	return smp_random_tests("smp_random_gicv2");
}
