/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A GIC with virtualization extensions for the fake machine: one core, 128 interrupts, GICv2 or
 * GICv3 by the driver that is linked, which finds its registers at fake_gic_bases or among the
 * system registers. It does what IHI 0048B and IHI 0069 say of interrupt states, priorities, list
 * registers and the maintenance interrupt, and it remembers the first rule that was broken where
 * hardware would lose an interrupt, signal one twice or do nothing predictable.
 */
#pragma once

#include "drivers/gic/gic.h"

#define FAKE_GIC_INTIDS 128u
#define FAKE_GIC_MAINTENANCE 25u /* the maintenance interrupt's INTID */

extern const struct gic_bases fake_gic_bases;

/* Power-on, and the hooks of the fake machine set; after fake_reset(). */
void fake_gic_reset(unsigned lr_count);

/* The rule that was broken first, or NULL. Reading it forgets it. */
const char *fake_gic_violation(void);

/* A physical interrupt line. */
void fake_gic_line(unsigned intid, bool high);

/* What is signalled: a physical interrupt to the hypervisor, its maintenance interrupt's line, a
 * virtual interrupt to the guest. */
bool fake_gic_irq(void);
bool fake_gic_maintenance(void);
bool fake_gic_virq(void);

/* How often a physical interrupt was deactivated. */
unsigned fake_gic_deactivations(unsigned intid);

/* The guest's CPU interface. split_eoi: its EOI only drops the priority. */
void fake_gic_guest_init(bool split_eoi);
uint32_t fake_gic_guest_ack(void);
void fake_gic_guest_eoi(uint32_t iar);
void fake_gic_guest_deactivate(uint32_t iar);
bool fake_gic_guest_deactivate_traps(void); /* before it does anything */
