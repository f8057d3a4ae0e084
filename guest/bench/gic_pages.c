/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of the two pages of a GICv2's CPU interface, without times. Natively and with irq=direct
 * the guest's CPU interface is GICC, with irq=trapped it is GICV, each at the addresses that the
 * board names. `iidr` is GICC_IIDR or GICV_IIDR, which is in the first page. DIR is in the second
 * page. The guest ends n SGIs to itself in two writes: `dropped` counts those that were still
 * active after EOIR, `ended` those that were not active any more after DIR. Both must be n. Where a
 * chip repeats each page of 4 KiB in a block of 64 KiB, both pages answer only at the right bases.
 * Skipped on a GICv3, whose CPU interface is registers of the core, and on a GICv2 without DIR.
 * Proof: tests/qemu/test_gic_pages.py.
 */
#include "arch/mmio.h"
#include "drivers/gic/gic_regs.h"
#include "guest/kernel/irq.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "lib/bits.h"

#define SGI_ID 1u
#define READS_MOST 100000u /* reads of IAR before an SGI counts as lost */

static uint32_t acknowledge(void)
{
	uint32_t iar = GIC_SPURIOUS;

	for (unsigned i = 0; i < READS_MOST && gic_intid(iar) != SGI_ID; i++)
		iar = gic_ack();
	return iar;
}

static void gic_pages_run(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n;
	uint32_t dropped = 0, ended = 0;

	gic_cpu_init(true);
	gic_enable(SGI_ID);
	for (uint32_t i = 0; i < n && ended == i; i++) {
		uint32_t iar;

		gic_send_sgi_self(SGI_ID);
		iar = acknowledge();
		gic_eoi(iar);
		dropped += gic_is_active(SGI_ID);
		gic_deactivate(iar);
		ended += gic_intid(iar) == SGI_ID && !gic_is_active(SGI_ID);
	}

	struct member members[] = {
		{ "iidr", mmio_read32((uintptr_t)run->gicc_base + GICC_IIDR) },
		{ "sgis", n },
		{ "dropped", dropped },
		{ "ended", ended },
	};

	report_check("pages", dropped == n && ended == n, members, ARRAY_SIZE(members));
}

static const char *gic_pages_prepare(const struct guest_run *run)
{
	(void)run;
	if (gic_version() != 2)
		return "the CPU interface is registers of the core";
	return gic_splits_ends() ? NULL : "this GIC has no DIR";
}

static const struct bench gic_pages = {
	.name = "gic_pages",
	.prepare = gic_pages_prepare,
	.run = gic_pages_run,
};
BENCH(gic_pages);
