/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of the GIC, and the number of its interrupts. */
#include "drivers/gic/gic_internal.h"
#include "lib/percpu.h"

struct gic_bases gic PERCPU_HOT;

void gic_set_bases(const struct gic_bases *bases)
{
	gic = *bases;
}

unsigned gic_intid_count(void)
{
	unsigned count = ((mmio_read32(gic.dist + GICD_TYPER) & 0x1fu) + 1) * 32;

	return count < GIC_SPECIAL_BASE ? count : GIC_SPECIAL_BASE;
}
