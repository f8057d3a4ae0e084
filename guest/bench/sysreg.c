/* SPDX-License-Identifier: Apache-2.0 */
/* A read of ACTLR_EL1, which traps with traps=on. */
#include "guest/bench.h"
#include "guest/report.h"

static void sysreg_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	sample_pairs(&run->bench.params, samples, actlr_read, 0);
	report_pair("actlr", samples, !run->config.traps); /* one instruction */
}

static const struct bench sysreg = { .name = "sysreg", .run = sysreg_run };
BENCH(sysreg);
