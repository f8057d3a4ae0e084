/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GIC with virtualization extensions for the fake machine: one core, 128 interrupts, GICv2 or
 * GICv3 as the linked driver needs. The driver finds the registers at fake_gic_bases or among the
 * system registers. The fake GIC follows IHI 0048B and IHI 0069 in interrupt states, priorities,
 * list registers and the maintenance interrupt. It records the first broken rule after which
 * hardware would lose an interrupt, signal one twice or be unpredictable.
 */
#pragma once

#include "drivers/gic/gic.h"

#define FAKE_GIC_INTIDS 128u
#define FAKE_GIC_MAINTENANCE 25u /* the maintenance interrupt's INTID */

extern const struct gic_bases fake_gic_bases;

/* Reset the GIC to power-on and set the hooks of the fake machine. Call after fake_reset(). */
void fake_gic_reset(unsigned lr_count);

/* Return the first broken rule, or NULL, and clear the record. */
const char *fake_gic_violation(void);

/* Set a physical interrupt line. */
void fake_gic_line(unsigned intid, bool high);

/* Return whether these are signalled: a physical interrupt to the hypervisor, the line of its
 * maintenance interrupt, a virtual interrupt to the guest. */
bool fake_gic_irq(void);
bool fake_gic_maintenance(void);
bool fake_gic_virq(void);

/* Return how often a physical interrupt was deactivated. */
unsigned fake_gic_deactivations(unsigned intid);

/* The guest's CPU interface. With split_eoi an EOI only drops the priority. */
void fake_gic_guest_init(bool split_eoi);
uint32_t fake_gic_guest_ack(void);
void fake_gic_guest_eoi(uint32_t iar);
void fake_gic_guest_deactivate(uint32_t iar);
bool fake_gic_guest_deactivate_traps(void); /* call before the write to DIR */
