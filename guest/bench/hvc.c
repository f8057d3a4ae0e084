/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest way to the hypervisor and back: a hypercall that does nothing, and an unknown
 * one. */
#include "arch/hypercall.h"
#include "guest/bench.h"
#include "guest/report.h"

#define ID_UNKNOWN (HC_BASE + HC_COUNT)

/* Each call leaves its result where the id was, so the next one gets the constant again. */
OPS_INLINE reg_t op_null(reg_t id)
{
	hvc(id, 0, 0);
	return HC_ID(NULL);
}

OPS_INLINE reg_t op_unknown(reg_t id)
{
	hvc(id, 0, 0);
	return ID_UNKNOWN;
}

static const char *hvc_prepare(const struct guest_run *run)
{
	return config_is_native(&run->config) ? "no hypervisor natively" : NULL;
}

/* The answer, once and outside of every window. */
static void check_answer(reg_t id, int32_t expected)
{
	int32_t answer = (int32_t)hvc(id, 0, 0);

	if (answer != expected)
		guest_refuse("a hypercall returned a wrong result, function id", id);
}

static void hvc_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	check_answer(HC_ID(NULL), HC_OK);
	sample_pairs(&run->bench.params, samples, op_null, HC_ID(NULL));
	report_pair("null", samples, false);
	samples = samples_begin();
	check_answer(ID_UNKNOWN, HC_EUNKNOWN);
	sample_pairs(&run->bench.params, samples, op_unknown, ID_UNKNOWN);
	report_pair("unknown", samples, false);
}

static const struct bench hvc_bench = {
	.name = "hvc",
	.prepare = hvc_prepare,
	.run = hvc_run,
};
BENCH(hvc_bench);
