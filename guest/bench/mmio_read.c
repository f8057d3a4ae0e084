/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A load from a device that EL2 may emulate:
 *   vgic       GICD_IIDR: emulated where the distributor is, else the device itself
 *   isenabler  the same of GICD_ISENABLER1, which covers 32 SPIs
 *   null       SCRATCH of the null device: emulated with stage 2, else memory
 */
#include "abi/null_device.h"
#include "drivers/gic/gic_regs.h"
#include "guest/bench.h"
#include "guest/report.h"

/* emulated: else it is one instruction */
static void run_variant(const struct guest_run *run, const char *variant, uint64_t address,
			bool emulated)
{
	struct samples *samples = samples_begin();

	sample_pairs(&run->bench.params, samples, device_load32, (reg_t)address);
	report_pair(variant, samples, !emulated);
}

static void mmio_read_run(const struct guest_run *run)
{
	bool trapped = run->config.irq == IRQ_TRAPPED;

	run_variant(run, "vgic", run->gicd_base + GICD_IIDR, trapped);
	run_variant(run, "isenabler", run->gicd_base + GICD_ISENABLER + 4, trapped);
	run_variant(run, "null", run->device_base + NULL_DEVICE_SCRATCH,
		    run->config.stage2 != STAGE2_OFF);
}

static const struct bench mmio_read = { .name = "mmio_read", .run = mmio_read_run };
BENCH(mmio_read);
