/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of ACTLR_EL1 (ACTLR), which traps with traps=on. Raw under icount, natively: 4. With a
 * trap under icount the value is 2 more than EL2's path: the read, and the isb of the window, which
 * QEMU counts twice (CAVEATS.md).
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

static void sysreg_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	sample_pairs(&run->bench.params, samples, actlr_read, 0);
	report_pair("actlr", samples, !run->config.traps); /* the path is one instruction */
}

static const struct bench sysreg = { .name = "sysreg", .run = sysreg_run };
BENCH(sysreg);
