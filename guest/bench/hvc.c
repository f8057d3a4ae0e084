/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest way to the hypervisor and back: a hypercall. The window goes from the isb after the
 * opening read, through three mov (unused arguments of the calling convention) and hvc #0, to the
 * closing read; the id is in its register before. Raw under icount: 7 plus EL2's instructions. The
 * benchmark is skipped natively.
 *   null     function 0x86000000, which does nothing. Its answer 0 is checked once before the
 *            samples
 *   unknown  the function after the last one of abi/hypercall.h: answer -1, not supported
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define ID_UNKNOWN (HC_BASE + HC_COUNT)

/* The result replaces the id in its register, so each call gets the constant again. */
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

/* Check the answer once, outside of every window. */
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
