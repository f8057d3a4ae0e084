/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/irq.h"

#include "guest/kernel/fail.h"
#include "guest_arch/stamp.h"
#include "lib/text.h"

/* The alignment keeps the struct within one page: the storing instructions reach all members. */
volatile struct irq_stamps irq_stamps __attribute__((aligned(32)));

_Static_assert(offsetof(struct irq_stamps, vector) == IRQ_STAMP_VECTOR, "guest_arch/stamp.h");
_Static_assert(offsetof(struct irq_stamps, handler) == IRQ_STAMP_HANDLER, "guest_arch/stamp.h");
_Static_assert(offsetof(struct irq_stamps, eoi) == IRQ_STAMP_EOI, "guest_arch/stamp.h");

static irq_handler handlers[IRQ_COUNT];
static uint32_t spurious_count;
static bool split_eoi;
static bool spis_edge;
static void (*on_special)(uint32_t iar);

static void irq_unexpected(uint64_t vector_ticks, uint32_t iar)
{
	char buffer[48];
	struct text text;

	(void)vector_ticks;
	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, "interrupt without a handler: ");
	text_u64(&text, gic_intid(iar));
	guest_fail(GUEST_EXIT_CRASHED, buffer);
}

void irq_init(const struct guest_run *run)
{
	struct gic_bases bases = {
		.dist = (uintptr_t)run->gicd_base,
		.cpu = (uintptr_t)run->gicc_base,
		.redist = (uintptr_t)run->gicr_base,
	};

	for (unsigned i = 0; i < IRQ_COUNT; i++)
		handlers[i] = irq_unexpected;
	gic_set_bases(&bases);
	gic_dist_reset();
	split_eoi = run->config.eoi == EOI_SPLIT;
	spis_edge = run->gem5 && gic_version() == 2;
	gic_cpu_init(split_eoi);
}

/*
 * Software pends SPIs. A level-sensitive SPI that software pended stays pending for ever in gem5's
 * GICv2, so every SPI is edge-triggered.
 */
void irq_set_handler(unsigned intid, irq_handler handler)
{
	handlers[intid] = handler;
	if (spis_edge && intid >= GIC_PRIVATE_COUNT)
		gic_set_edge(intid, true);
}

static const char *pended_by_itself(unsigned intid)
{
	static char reason[64];
	struct text text;

	text_init(&text, reason, sizeof(reason));
	text_string(&text, "INTID ");
	text_u64(&text, intid);
	text_string(&text, " is pending by itself: a device has it");
	return reason;
}

const char *irq_no_spis(const struct guest_run *run, unsigned most)
{
	if (run->physical_spi_count == 0)
		return "every SPI of this board belongs to a device";
	for (unsigned i = 0; i < most && i < run->physical_spi_count; i++) {
		unsigned intid = run->physical_spi_first + i;

		gic_clear_pending(intid);
		if (gic_is_pending(intid))
			return pended_by_itself(intid);
	}
	return NULL;
}

uint32_t irq_spurious_count(void)
{
	return spurious_count;
}

void irq_on_special(void (*handler)(uint32_t iar))
{
	on_special = handler;
}

void irq_dispatch(uint64_t vector_ticks)
{
	uint32_t iar = gic_ack();
	unsigned intid = gic_intid(iar);

	if (intid >= IRQ_COUNT) {
		spurious_count++;
		if (on_special)
			on_special(iar);
		return;
	}
	handlers[intid](vector_ticks, iar);
	gic_eoi(iar);
	if (split_eoi)
		gic_deactivate(iar);
}
