/* SPDX-License-Identifier: Apache-2.0 */
/* Exynos multi-core timer: its free-running counter feeds the cores' CNTPCT. */
#include "drivers/timer/timer.h"

#include "arch/mmio.h"

#define G_TCON 0x240u
#define G_WSTAT 0x24cu
#define G_TCON_START (1u << 8)
#define G_WSTAT_TCON (1u << 16) /* the write to G_TCON is done; writing a 1 clears the bit */

bool exynos_mct_start(uintptr_t base)
{
	uint32_t control = mmio_read32(base + G_TCON);

	if (control & G_TCON_START)
		return true;
	mmio_write32(base + G_TCON, control | G_TCON_START);
	for (unsigned i = 0; i < 1000; i++)
		if (mmio_read32(base + G_WSTAT) & G_WSTAT_TCON) {
			mmio_write32(base + G_WSTAT, G_WSTAT_TCON);
			return true;
		}
	return false;
}
