/* SPDX-License-Identifier: Apache-2.0 */
/* For gic_dist.c and the version files; not for users of the driver. */
#pragma once

#include "arch/mmio.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_regs.h"

#define GIC_DEFAULT_PRIORITY 0xa0u

extern struct gic_bases gic;

/* Base of the registers from IGROUPR to ICFGR that hold the private interrupts of this core: the
 * distributor itself on GICv2, the redistributor's SGI_base frame on GICv3. */
uintptr_t gic_private_base(void);

static inline uintptr_t gic_base_of(unsigned intid)
{
	return intid < GIC_PRIVATE_COUNT ? gic_private_base() : gic.dist;
}

/* The register of a bank with one bit an interrupt. */
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

/* Reset the driver's own state of 32 interrupts, from `first` on. */
void gic_forget_active(unsigned first);

/* GICv2. Bit i: list register i is empty, without an end to follow up (eoi_irq). */
uint32_t gicv2_lrs_empty(void);

/* Wait until earlier disables have taken effect for `intid`'s registers (GICv3 RWP). */
void gic_wait_for_writes(unsigned intid);

/* Route every SPI to this core. `count`: gic_intid_count(). */
void gic_route_spis_here(unsigned count);

/* GICD_CTLR value that forwards interrupts. */
uint32_t gic_dist_enable_bits(void);

/* GICv3: find and wake this core's redistributor; put the private interrupts into Group 1. */
void gic_private_prepare(void);

/* GICH_HCR and ICH_HCR_EL2: IHI 0048B 5.3.2, IHI 0069 12.4.5. */
#define HCR_EN (1u << 0)
#define HCR_LRENPIE (1u << 2)
#define HCR_NPIE (1u << 3)
#define HCR_VGRP0_EIE (1u << 4)
#define HCR_VGRP0_DIE (1u << 5)
#define HCR_VGRP1_EIE (1u << 6)
#define HCR_VGRP1_DIE (1u << 7)
#define HCR_EOI_COUNT(hcr) ((hcr) >> 27)
#define HCR_EOI_COUNT_MASK (0x1fu << 27)

/*
 * The events of the guest's groups after which other interrupts may be signalled: a group goes on,
 * or one of two goes off. An event that is true already would interrupt for ever. The end of the
 * only group needs no event: no interrupt is signalled then (and QEMU's GICv3 tests Group 1's
 * enable for Group 0's event).
 */
static inline uint32_t gic_virt_group_events(unsigned groups)
{
	if (groups == 3)
		return HCR_VGRP0_DIE | HCR_VGRP1_DIE;
	return (groups & 1 ? 0 : HCR_VGRP0_EIE) | (groups & 2 ? 0 : HCR_VGRP1_EIE);
}

/* VMCR: the guest's BPR of Group 0 and of Group 1, and CBPR, by which Group 0's BPR is for both.
 * The group priority that BPR leaves, as a bit of the active priorities. */
#define VMCR_CBPR (1u << 4)
#define VMCR_BPR1(vmcr) ((vmcr) >> 18 & 7)
#define VMCR_BPR0(vmcr) ((vmcr) >> 21 & 7)
static inline uint32_t gic_virt_active_priority(uint32_t vmcr, uint8_t priority, bool group1)
{
	unsigned point = group1 && !(vmcr & VMCR_CBPR) ? VMCR_BPR1(vmcr) : VMCR_BPR0(vmcr) + 1;

	return 1u << ((priority & 0xff << point) >> 3);
}
