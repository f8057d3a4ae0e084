/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A 32-bit load from a device that EL2 may emulate, with its address ready in a register:
 *   vgic       GICD_IIDR, a constant: emulated with irq=trapped, else the physical register
 *   isenabler  GICD_ISENABLER1, which covers 32 SPIs: emulated in the same cases as vgic
 *   null       SCRATCH of the null device (abi/null_device.h): emulated with stage 2, else memory
 *              mapped as a device
 * Raw under icount without emulation: 4. With emulation icount does not count the access itself:
 * the value is EL2's path, to the instruction. vgic - null is the cost of the distributor's model,
 * except for a few instructions: the GIC comes first in the list of devices.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "abi/null_device.h"
#include "drivers/gic/gic_regs.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

/* Run one variant. Without emulation the access is one instruction. */
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
