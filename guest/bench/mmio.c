/* SPDX-License-Identifier: Apache-2.0 */
/* A read of GICD_IIDR: emulated where the distributor is, else the device itself. */
#include "arch/mmio.h"
#include "drivers/gic/gic_regs.h"
#include "guest/bench.h"
#include "guest/calibrate.h"
#include "guest/report.h"

OPS_INLINE reg_t op_read(reg_t address)
{
	mmio_read32(address);
	return address;
}

static void mmio_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();
	struct bench_info info = {
		.variant = "iidr",
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
	};

	sample_pairs(&run->bench.params, samples, op_read, (reg_t)run->gicd_base + GICD_IIDR);
	report_bench(&info, samples);
}

static const struct bench mmio = { .name = "mmio", .run = mmio_run };
BENCH(mmio);
