/* SPDX-License-Identifier: Apache-2.0 */
/* Shared between gic_dist.c and the version files; not for users of the driver. */
#pragma once

#include "drivers/gic/gic.h"

extern struct gic_bases gic;

/* Base of the registers from IGROUPR to ICFGR that hold the private interrupts of this core: the
 * distributor itself on GICv2, the redistributor's SGI_base frame on GICv3. */
uintptr_t gic_private_base(void);

/* Waits until earlier disables have taken effect for `intid`'s registers (GICv3 RWP). */
void gic_wait_for_writes(unsigned intid);

/* Where SPIs go: this core. `count` as gic_intid_count(). */
void gic_route_spis_here(unsigned count);

/* GICD_CTLR value that forwards interrupts, and preparation of this core's redistributor. */
uint32_t gic_dist_enable_bits(void);
void gic_wake_redistributor(void);

/* The private interrupts into the group that is signalled. */
void gic_group_private(void);
