/* SPDX-License-Identifier: Apache-2.0 */
/* Active states in the distributor's registers, for an end of interrupt in two steps: GICv3, and
 * GICv2 with gicv2_split.c. */
#include "drivers/gic/gic_internal.h"

void gic_drop(uint32_t iar)
{
	gic_eoi(iar);
}

/* The driver has no state here: reset_bank() clears ISACTIVER. */
void gic_forget_active(unsigned first)
{
}

void gic_set_active(unsigned intid)
{
	gic_write_bit(intid, GICD_ISACTIVER);
}

bool gic_is_active(unsigned intid)
{
	return gic_read_bit(intid, GICD_ISACTIVER);
}

uint32_t gic_active_private(void)
{
	return mmio_read32(gic_bit_register(0, GICD_ISACTIVER));
}

void gic_set_active_private(uint32_t which)
{
	mmio_write32(gic_bit_register(0, GICD_ISACTIVER), which);
}

void gic_set_priority(unsigned intid, uint8_t priority)
{
	gic_write_priority(intid, priority);
}
