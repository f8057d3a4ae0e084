/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check without times: the limits that a guest sets to exit statistics (docs/design/exits.md).
 * The `exits` record of the step must count only the null hypercalls of the last window: 2 n.
 * Proof: tests/qemu/test_stats.py.
 */
#include "guest/measure/measure.h"
#include "arch/hypercall.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

static void call(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		hvc(HC_ID(NULL), 0, 0);
}

static void measure_run(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n;
	bool refused = hvc(HC_ID(MEASURE), 2, 0) == (reg_t)HC_EINVAL;
	struct member members[] = { { "counted", 2 * (int64_t)n } };

	call(n);
	measure_begin();
	call(3 * n);
	measure_end();
	call(5 * n);
	measure_begin();
	measure_begin();
	call(2 * n);
	measure_end();
	report_check("window", refused, members, 1);
}

static const struct bench measure = { .name = "measure", .run = measure_run };
BENCH(measure);
