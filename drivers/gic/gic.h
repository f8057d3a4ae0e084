/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical GIC: distributor and this core's CPU interface. The link chooses the version
 * (gicv2.c or gicv3.c; both share gic_dist.c). Hypervisor and guest each have a copy of the driver.
 * GICv2: IHI 0048B. GICv3: IHI 0069, with affinity routing; software sees one security state.
 *
 * INTIDs: 0-15 SGI, 16-31 PPI (private to a core), 32-1019 SPI, 1020-1023 special.
 * Priorities: 0 is the highest; a GIC implements only the upper bits (at least 4).
 */
#pragma once

#include "arch/types.h"

#define GIC_SGI_COUNT 16u
#define GIC_PRIVATE_COUNT 32u /* SGIs and PPIs */
#define GIC_SPURIOUS 1023u
#define GIC_SPECIAL_BASE 1020u

/* The GIC's addresses, as data: the driver contains no board's addresses. A missing part is 0. */
struct gic_bases {
	uintptr_t dist; /* GICD */
	uintptr_t cpu;  /* GICv2: GICC */
	uintptr_t hyp;  /* GICv2: GICH, the virtual interface control block */
	uintptr_t vcpu; /* GICv2: GICV, the virtual CPU interface */
	/* GICv3: GICR of the boot core, RD_base. SGI_base is 64 KiB above it; the next core's
	 * frames follow */
	uintptr_t redist;
};

/* Set the GIC's addresses. Must be the first call, in an image that learns them when it starts. The
 * hypervisor uses the addresses of its board instead: gic_board_bases() of hyp/cpu/gic_board.c. */
void gic_set_bases(const struct gic_bases *bases);
const struct gic_bases *gic_board_bases(void);

/* Return the version of this driver: 2 or 3. */
unsigned gic_version(void);

/* Return the architecture revision that the distributor reports (GICD_PIDR2.ArchRev): 2, 3 or 4; 0
 * if no GIC of this driver's version answers. */
unsigned gic_probe_version(void);

/* Called at EL3 or in Secure state: make every interrupt Non-secure, if the GIC has two security
 * states. This call must precede the calls below. */
void gic_all_nonsecure(void);

/* Reset the distributor: every interrupt disabled, not pending, not active, level-sensitive,
 * priority 0xa0, SPIs routed to this core; then enable forwarding. A later call clears a guest's
 * settings. */
void gic_dist_reset(void);

/* On a core other than the boot core: reset the core's private interrupts as gic_dist_reset() does
 * on the boot core. */
void gic_private_reset(void);

/* Return the number of INTIDs (GICD_TYPER.ITLinesNumber). */
unsigned gic_intid_count(void);

/* Change one interrupt. A private interrupt belongs to this core. */
void gic_enable(unsigned intid);
void gic_disable(unsigned intid);     /* complete on return */
void gic_set_pending(unsigned intid); /* not for SGIs on GICv2 */
void gic_clear_pending(unsigned intid);
/* Return the address of the register in which BIT(intid % 32) makes an SPI pending. */
uintptr_t gic_pending_register(unsigned intid);
void gic_set_active(unsigned intid); /* set the state between priority drop and deactivation */
bool gic_is_pending(unsigned intid);
uint32_t gic_pending_word(unsigned word); /* bit n is interrupt 32 * word + n */
bool gic_is_active(unsigned intid);
void gic_set_priority(unsigned intid, uint8_t priority);

/* Private interrupts of this core, one bit each. A call with 0 has no effect. */
uint32_t gic_active_private(void);
void gic_set_active_private(uint32_t which);
void gic_enable_private(uint32_t which);
void gic_disable_private(uint32_t which); /* complete on return */

/* SPIs: set the trigger to edge or level; route an SPI to the calling core. */
void gic_set_edge(unsigned intid, bool edge);
void gic_route_spi_here(unsigned intid);

/* Send SGI `id` to the calling core. */
void gic_send_sgi_self(unsigned id);

/* Send SGI `id` to the core with this number (GICv3: affinity 0.0.0.core). */
void gic_send_sgi(unsigned id, unsigned core);

/* Turn the CPU interface on, for all priorities. With split_eoi gic_eoi() only drops the priority,
 * and gic_deactivate() must follow (GICC_CTLR.EOImode); otherwise gic_eoi() does both. */
void gic_cpu_init(bool split_eoi);

/* Return false if this GIC has neither this split nor list registers linked to physical interrupts
 * (`hw`). Then gic_eoi() also deactivates, and gic_drop() masks the interrupt by its priority. */
bool gic_splits_ends(void);

/* End every active interrupt, so that no active priority stays. This call must precede
 * gic_dist_reset(), which clears the active states. */
void gic_cpu_abandon(void);

/* Acknowledge the highest pending interrupt. Return the raw IAR value for gic_eoi() and
 * gic_deactivate(). gic_intid(iar) is the INTID, >= GIC_SPECIAL_BASE without an interrupt. */
uint32_t gic_ack(void);
void gic_eoi(uint32_t iar);
void gic_deactivate(uint32_t iar);

/* With split_eoi: drop the priority and deactivate. */
static inline void gic_end(uint32_t iar)
{
	gic_eoi(iar);
	gic_deactivate(iar);
}

/* With split_eoi: drop the priority of an interrupt that stays active after the handler. */
void gic_drop(uint32_t iar);

/* Return the INTID and (GICv2, SGI) the source core in a raw IAR value. */
static inline unsigned gic_intid(uint32_t iar)
{
	return iar & 0x3ffu;
}
static inline unsigned gic_source(uint32_t iar)
{
	return (iar >> 10) & 7u;
}
