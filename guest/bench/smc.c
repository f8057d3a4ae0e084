/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An SMC with an unknown function id that EL2 answers in place of the firmware, from a full frame.
 * The answer -1 is checked once before the samples. The window is hvc's, around smc #0. The
 * benchmark is skipped with traps=off, where the board defines the effect of an SMC.
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "arch/hypercall.h"
#include "guest/kernel/fail.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

/* A fast call of the vendor-specific hypervisor services, beyond all hypercalls. */
#define ID_UNKNOWN (HC_BASE + HC_COUNT)

OPS_INLINE reg_t op_unknown(reg_t id)
{
	smc(id, 0, 0);
	return ID_UNKNOWN;
}

/* The effect of an SMC that does not trap depends on the board: firmware answers, or the SMC is
 * undefined or does not return. */
static const char *smc_prepare(const struct guest_run *run)
{
	if (!run->config.traps)
		return "SMC does not trap, so it would reach the firmware; set traps=on";
	return run->smc_undefined ? smc_undefined_reason : NULL;
}

static void smc_run(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	if ((int32_t)smc(ID_UNKNOWN, 0, 0) != HC_EUNKNOWN)
		guest_refuse("an SMC returned a wrong result, function id", ID_UNKNOWN);
	sample_pairs(&run->bench.params, samples, op_unknown, ID_UNKNOWN);
	report_pair("unknown", samples, false);
}

static const struct bench smc_bench = {
	.name = "smc",
	.prepare = smc_prepare,
	.run = smc_run,
};
BENCH(smc_bench);
