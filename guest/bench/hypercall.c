/* SPDX-License-Identifier: Apache-2.0 */
/* The null hypercall: the cheapest way to the hypervisor and back. */
#include "arch/hypercall.h"
#include "guest/bench.h"
#include "guest/calibrate.h"
#include "guest/report.h"

OPS_INLINE reg_t op_null(reg_t id)
{
	hvc(id, 0, 0);
	return HC_ID(NULL);
}

static const char *hypercall_prepare(const struct guest_run *run)
{
	return config_is_native(&run->config) ? "no hypervisor natively" : NULL;
}

static void hypercall_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();
	struct bench_info info = {
		.variant = "null",
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
	};

	sample_pairs(&run->bench.params, samples, op_null, HC_ID(NULL));
	report_bench(&info, samples);
}

static const struct bench hypercall = {
	.name = "hypercall",
	.prepare = hypercall_prepare,
	.run = hypercall_run,
};
BENCH(hypercall);
