/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by gic_dist.c and the version files. Users of the driver do not call them. */
#pragma once

#include "arch/mmio.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_regs.h"

#define GIC_DEFAULT_PRIORITY 0xa0u

extern struct gic_bases gic; /* gic_set_bases() */

/* Return the addresses of the GIC: GIC_BASES, which the Makefile defines for each image. The
 * hypervisor has its board's addresses, so the link makes constants of them. The guest learns its
 * addresses when it starts. */
static inline const struct gic_bases *gic_bases(void)
{
	return GIC_BASES;
}

static inline uintptr_t gicd(void)
{
	return mmio_base(gic_bases()->dist);
}

static inline uintptr_t gicc(void)
{
	return mmio_base(gic_bases()->cpu);
}

static inline uintptr_t gich(void)
{
	return mmio_base(gic_bases()->hyp);
}

/* Return the base of the registers from IGROUPR to ICFGR that hold this core's private interrupts:
 * the distributor itself on GICv2, the redistributor's SGI_base frame on GICv3. */
uintptr_t gic_private_base(void);

static inline uintptr_t gic_base_of(unsigned intid)
{
	return intid < GIC_PRIVATE_COUNT ? gic_private_base() : gicd();
}

/* Return the register of a bank with one bit an interrupt. */
static inline uintptr_t gic_bit_register(unsigned intid, unsigned bank)
{
	return gic_base_of(intid) + bank + intid / 32 * 4;
}

/* These banks are write-1-to-act: never read-modify-write. */
static inline void gic_write_bit(unsigned intid, unsigned bank)
{
	mmio_write32(gic_bit_register(intid, bank), 1u << (intid % 32));
}

static inline bool gic_read_bit(unsigned intid, unsigned bank)
{
	return mmio_read32(gic_bit_register(intid, bank)) >> (intid % 32) & 1;
}

static inline void gic_write_priority(unsigned intid, uint8_t priority)
{
	mmio_write8(gic_base_of(intid) + GICD_IPRIORITYR + intid, priority);
}

/* Reset the driver's own state of 32 interrupts, starting with `first`. */
void gic_forget_active(unsigned first);

/* Wait until earlier disables have taken effect in `intid`'s registers (GICv3 RWP). */
void gic_wait_for_writes(unsigned intid);

/* Route every SPI to this core. `count`: gic_intid_count(). */
void gic_route_spis_here(unsigned count);

/* GICD_CTLR value that forwards interrupts. */
extern const uint32_t gic_dist_enable;

/* GICv3: find and wake this core's redistributor; put the private interrupts into Group 1. */
void gic_private_prepare(void);
