/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of an interrupt on a GICv2 without EOImode, DIR and linked list registers, as gem5 models
 * one: EOIR drops the priority and deactivates. An interrupt that must stay active gets a priority
 * that PMR masks, until its deactivation. The driver keeps the interrupt's own priority meanwhile,
 * and the enable bit remains the guest's. This file replaces gic_active.c and gicv2_split.c.
 */
#include "drivers/gic/gic_internal.h"
#include "lib/bits.h"
#include "lib/percpu.h"

#define NEVER 0xffu /* the lowest priority, which PMR never lets through (IHI 0048B 4.4.2) */

struct line {
	uint8_t priority; /* the interrupt's priority while it is inactive */
	bool active;
};

static struct line private_line[GIC_PRIVATE_COUNT] PERCPU;
static struct line spi_line[GIC_SPECIAL_BASE - GIC_PRIVATE_COUNT];

static struct line *line_of(unsigned intid)
{
	return intid < GIC_PRIVATE_COUNT ? &private_line[intid]
					 : &spi_line[intid - GIC_PRIVATE_COUNT];
}

bool gic_splits_ends(void)
{
	return false;
}

void gic_forget_active(unsigned first)
{
	for (unsigned i = 0; i < 32 && first + i < GIC_SPECIAL_BASE; i++)
		*line_of(first + i) = (struct line){ .priority = GIC_DEFAULT_PRIORITY };
}

void gic_set_active(unsigned intid)
{
	line_of(intid)->active = true;
	gic_write_priority(intid, NEVER);
}

bool gic_is_active(unsigned intid)
{
	return line_of(intid)->active;
}

uint32_t gic_active_private(void)
{
	uint32_t active = 0;

	for (unsigned intid = 0; intid < GIC_PRIVATE_COUNT; intid++)
		active |= (uint32_t)private_line[intid].active << intid;
	return active;
}

void gic_set_active_private(uint32_t which)
{
	for (; which; which &= which - 1)
		gic_set_active(bit_lowest(which));
}

void gic_set_priority(unsigned intid, uint8_t priority)
{
	struct line *line = line_of(intid);

	line->priority = priority;
	if (!line->active)
		gic_write_priority(intid, priority);
}

/* Do not write BPR: a guest's GICC is GICV, and gem5 aborts at an access to GICV's BPR. */
void gic_cpu_init(bool split_eoi)
{
	mmio_write32(gicc() + GICC_PMR, 0xff);
	mmio_write32(gicc() + GICC_CTLR, GICC_CTLR_ENABLE_GRP0 | GICC_CTLR_ENABLE_GRP1);
}

void gic_drop(uint32_t iar)
{
	gic_set_active(gic_intid(iar));
	gic_eoi(iar);
}

void gic_deactivate(uint32_t iar)
{
	struct line *line = line_of(gic_intid(iar));

	if (!line->active)
		return;
	line->active = false;
	gic_write_priority(gic_intid(iar), line->priority);
}
