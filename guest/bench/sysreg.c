/* SPDX-License-Identifier: Apache-2.0 */
/* A read of ACTLR_EL1, which traps with traps=on. */
#include "guest/bench.h"
#include "guest/calibrate.h"
#include "guest/report.h"

static void sysreg_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();
	struct bench_info info = {
		.variant = "actlr",
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
		.may_be_zero = !run->config.traps, /* one instruction */
	};

	sample_pairs(&run->bench.params, samples, actlr_read, 0);
	report_bench(&info, samples);
}

static const struct bench sysreg = { .name = "sysreg", .run = sysreg_run };
BENCH(sysreg);
