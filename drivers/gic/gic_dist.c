/* SPDX-License-Identifier: Apache-2.0 */
/* The distributor, the same on GICv2 and GICv3 except for the base of the private interrupts. */
#include "drivers/gic/gic_internal.h"

unsigned gic_intid_count(void)
{
	unsigned count = ((mmio_read32(gicd() + GICD_TYPER) & 0x1fu) + 1) * 32;

	return count < GIC_SPECIAL_BASE ? count : GIC_SPECIAL_BASE;
}

static void reset_bank(unsigned first)
{
	gic_forget_active(first);
	mmio_write32(gic_bit_register(first, GICD_ICENABLER), ~0u);
	gic_wait_for_writes(first);
	mmio_write32(gic_bit_register(first, GICD_ICPENDR), ~0u);
	mmio_write32(gic_bit_register(first, GICD_ICACTIVER), ~0u);
	for (unsigned i = 0; i < 32; i += 4)
		mmio_write32(gic_base_of(first) + GICD_IPRIORITYR + first + i,
			     GIC_DEFAULT_PRIORITY * 0x01010101u);
	/* Include PPIs: their reset value is IMPLEMENTATION DEFINED (IHI 0048B 4.3.13). The first
	 * word, of SGIs, is read-only. */
	for (unsigned i = 0; i < 32; i += 16)
		mmio_write32(gic_base_of(first) + GICD_ICFGR + (first + i) / 4, 0);
}

void gic_dist_reset(void)
{
	unsigned count = gic_intid_count();

	mmio_write32(gicd() + GICD_CTLR, 0);
	gic_wait_for_writes(GIC_PRIVATE_COUNT);
	gic_private_prepare();
	for (unsigned first = 0; first < count; first += 32)
		reset_bank(first);
	gic_route_spis_here(count);
	mmio_write32(gicd() + GICD_CTLR, gic_dist_enable);
	gic_wait_for_writes(GIC_PRIVATE_COUNT);
}

void gic_private_reset(void)
{
	gic_private_prepare();
	reset_bank(0);
}

void gic_enable(unsigned intid)
{
	gic_write_bit(intid, GICD_ISENABLER);
}

void gic_disable(unsigned intid)
{
	gic_write_bit(intid, GICD_ICENABLER);
	gic_wait_for_writes(intid);
}

void gic_enable_private(uint32_t which)
{
	mmio_write32(gic_bit_register(0, GICD_ISENABLER), which);
}

void gic_disable_private(uint32_t which)
{
	mmio_write32(gic_bit_register(0, GICD_ICENABLER), which);
	gic_wait_for_writes(0);
}

void gic_set_pending(unsigned intid)
{
	gic_write_bit(intid, GICD_ISPENDR);
}

uintptr_t gic_pending_register(unsigned intid)
{
	return gicd() + GICD_ISPENDR + intid / 32 * 4;
}

void gic_clear_pending(unsigned intid)
{
	gic_write_bit(intid, GICD_ICPENDR);
}

bool gic_is_pending(unsigned intid)
{
	return gic_read_bit(intid, GICD_ISPENDR);
}

uint32_t gic_pending_word(unsigned word)
{
	return mmio_read32(gic_bit_register(word * 32, GICD_ISPENDR));
}

/* The interrupt must be disabled (IHI 0048B 4.3.13). Each interrupt has two bits; the upper bit
 * selects edge. */
void gic_set_edge(unsigned intid, bool edge)
{
	uintptr_t address = gicd() + GICD_ICFGR + intid / 16 * 4;
	uint32_t bit = 2u << intid % 16 * 2;
	uint32_t value = mmio_read32(address);
	bool enabled = gic_read_bit(intid, GICD_ISENABLER);

	if (!(value & bit) == !edge)
		return;
	if (enabled)
		gic_disable(intid);
	mmio_write32(address, value ^ bit);
	if (enabled)
		gic_enable(intid);
}
