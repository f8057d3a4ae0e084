/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical GIC: distributor and this core's CPU interface. The version is chosen at link time
 * (gicv2.c or gicv3.c; gic_dist.c is shared); hypervisor and guest each link their own copy.
 * GICv2: IHI 0048B. GICv3: IHI 0069, with affinity routing and one security state in view.
 *
 * INTIDs: 0-15 SGI, 16-31 PPI (private to a core), 32-1019 SPI, 1020-1023 special.
 * Priorities: 0 is the highest; a GIC implements the upper bits only (at least 4).
 */
#pragma once

#include "arch/types.h"

#define GIC_SGI_COUNT 16u
#define GIC_PRIVATE_COUNT 32u /* SGIs and PPIs */
#define GIC_SPURIOUS 1023u
#define GIC_SPECIAL_BASE 1020u

/* Addresses as data: this driver knows no board. A part that a version does not have is 0. */
struct gic_bases {
	uintptr_t dist; /* GICD */
	uintptr_t cpu;  /* GICv2: GICC */
	uintptr_t hyp;  /* GICv2: GICH, the virtual interface control block */
	uintptr_t vcpu; /* GICv2: GICV, the virtual CPU interface */
	/* GICv3: GICR of the boot core, RD_base; SGI_base is 64 KiB above, the next core's behind
	 * that */
	uintptr_t redist;
};

/* Tells the driver where the GIC is. First of all calls. */
void gic_set_bases(const struct gic_bases *bases);

/* 2 or 3: the version this driver was built for. */
unsigned gic_version(void);

/* The architecture revision the distributor reports (GICD_PIDR2.ArchRev): 2, 3 or 4; 0 where
 * nothing that looks like this driver's GIC answers. */
unsigned gic_probe_version(void);

/* From EL3, or Secure state: hands every interrupt to Non-secure state, where the GIC tells the two
 * apart. Before the first of the calls below. */
void gic_all_nonsecure(void);

/* Distributor: everything off, not pending, not active, level-sensitive, priority 0xa0, SPIs to
 * this core; then forwarding on. gic_dist_reset() may be called again, to forget what a guest
 * left. */
void gic_dist_reset(void);

/* On a core that is not the boot core, which gic_dist_reset() is for: behind gic_set_bases(), of
 * which GICv3 makes out this core's redistributor; and what is private to the core is then as
 * gic_dist_reset() leaves it. */
void gic_find_redistributor(void);
void gic_private_reset(void);

/* Lines implemented, INTIDs 0 to this minus 1 (GICD_TYPER.ITLinesNumber). */
unsigned gic_intid_count(void);

/* One interrupt, private ones of this core. */
void gic_enable(unsigned intid);
void gic_disable(unsigned intid);     /* waits until the distributor has seen it */
void gic_set_pending(unsigned intid); /* not for SGIs on GICv2 */
void gic_clear_pending(unsigned intid);
void gic_set_active(unsigned intid); /* as though it had been acknowledged, priority dropped */
bool gic_is_pending(unsigned intid);
bool gic_is_active(unsigned intid);
void gic_set_priority(unsigned intid, uint8_t priority);

/* SPIs: triggered by an edge or a level; to the calling core from now on. */
void gic_set_edge(unsigned intid, bool edge);
void gic_route_spi_here(unsigned intid);

/* SGI `id` to the calling core. */
void gic_send_sgi_self(unsigned id);

/* SGI `id` to the core with this number (GICv3: affinity 0.0.0.core). */
void gic_send_sgi(unsigned id, unsigned core);

/* CPU interface on, all priorities let through. split_eoi: gic_eoi() only drops the priority and
 * gic_deactivate() is needed (GICC_CTLR.EOImode); else gic_eoi() does both. */
void gic_cpu_init(bool split_eoi);

/* False: this GIC has no such split, nor list registers linked to physical interrupts (`hw`). Then
 * gic_eoi() ends an interrupt wholly, and gic_drop() keeps it away by other means. */
bool gic_splits_ends(void);

/* Ends whatever is active, so that no priority is left raised by somebody who never ended an
 * interrupt. Before gic_dist_reset(), which would forget what is active. */
void gic_cpu_abandon(void);

/* Acknowledges the highest pending interrupt; returns the raw IAR value that gic_eoi() and
 * gic_deactivate() take. gic_intid(iar) is its INTID, >= GIC_SPECIAL_BASE when there is none. */
uint32_t gic_ack(void);
void gic_eoi(uint32_t iar);
void gic_deactivate(uint32_t iar);

/* With split_eoi: as gic_eoi(), of an interrupt that stays active after the handler. */
void gic_drop(uint32_t iar);

/* INTID and, of a GICv2 SGI, the source core in a raw IAR value. */
static inline unsigned gic_intid(uint32_t iar)
{
	return iar & 0x3ffu;
}
static inline unsigned gic_source(uint32_t iar)
{
	return (iar >> 10) & 7u;
}
