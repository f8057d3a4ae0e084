/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store to a device that EL2 may emulate, counted as in mmio_read:
 *   vgic  a byte of GICD_IPRIORITYR: emulated if the distributor is, else the physical register
 *   null  SCRATCH of the null device: emulated with stage 2, else memory
 * The byte is the priority of the last SPI, which stays disabled: the distributor's model changes,
 * as with any write that configures an interrupt, and no interrupt results. The stored value is the
 * address, which is in a register already. The benchmark reads the value back after the samples,
 * and refuses the step if it differs.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "abi/null_device.h"
#include "arch/mmio.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_regs.h"
#include "guest/kernel/fail.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

/* A GIC has at least the upper four bits of a priority, and fewer than eight in a guest. */
static void run_vgic(const struct guest_run *run)
{
	uint32_t spi = GIC_PRIVATE_COUNT + run->spi_count - 1;
	reg_t address = (reg_t)run->gicd_base + GICD_IPRIORITYR + spi;
	struct samples *samples = samples_begin();

	mmio_write8(address, 0);
	sample_pairs(&run->bench.params, samples, device_store8, address);
	if ((mmio_read8(address) ^ address) & 0xf0)
		guest_refuse("a store to GICD_IPRIORITYR had no effect, it reads",
			     mmio_read8(address));
	report_pair("vgic", samples, run->config.irq != IRQ_TRAPPED);
}

static void run_null(const struct guest_run *run)
{
	reg_t address = (reg_t)run->device_base + NULL_DEVICE_SCRATCH;
	struct samples *samples = samples_begin();

	sample_pairs(&run->bench.params, samples, device_store32, address);
	if (mmio_read32(address) != (uint32_t)address)
		guest_refuse("a store to SCRATCH had no effect, it reads", mmio_read32(address));
	report_pair("null", samples, run->config.stage2 == STAGE2_OFF);
}

static void mmio_write_run(const struct guest_run *run)
{
	run_vgic(run);
	run_null(run);
}

static const struct bench mmio_write = { .name = "mmio_write", .run = mmio_write_run };
BENCH(mmio_write);
