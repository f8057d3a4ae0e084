/* SPDX-License-Identifier: Apache-2.0 */
/* The end of an interrupt on an architectural GICv2: EOIR and DIR (IHI 0048B 3.2.1). */
#include "drivers/gic/gic_internal.h"

bool gic_splits_ends(void)
{
	return true;
}

void gic_cpu_init(bool split_eoi)
{
	mmio_write32(gicc() + GICC_PMR, 0xff);
	mmio_write32(gicc() + GICC_BPR, 0);
	mmio_write32(gicc() + GICC_CTLR, GICC_CTLR_ENABLE_GRP0 | GICC_CTLR_ENABLE_GRP1 |
						 (split_eoi ? GICC_CTLR_EOIMODE : 0));
}

void gic_deactivate(uint32_t iar)
{
	mmio_write32(gicc() + GICC_DIR, iar);
}
