/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first use of an FP register after the vCPU released its FP registers, and the release itself,
 * in the modes of the axis fp.
 *   use      one instruction that reads an FP register: fmov x, d0 or vmov r, s0. Raw under
 *            icount, natively: 4. HC_FP_RELEASE before each sample acts like a switch to another
 *            vCPU that uses FP registers, and back. With fp=lazy the window has the exit, the save
 *            of the other context and the load of the vCPU's own; else 1 instruction
 *   release  HC_FP_RELEASE just after a use of an FP register; left out natively. With fp=static
 *            the hypercall does nothing; lazy saves the registers, loads another context, and
 *            traps from then on; eager does two saves and two loads
 * With fp=lazy a switch there and back costs release + use - hvc null if the VM uses the registers
 * again, and about half of that if not. With fp=eager it always costs release - hvc null. Check
 * `kept`: all FP registers with FPCR and FPSR (FPSCR) keep their values over 100 rounds, of which
 * the first runs beside a second VM that fills all of them over six slices; `wrong` counts changed
 * words.
 * Proof: tests/qemu/test_fp.py; gate: tests/expected.
 */
#include "arch/hypercall.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define TURNS 6u /* turns of the core: enough for the other VM to have had some */
#define US_PER_S 1000000u
#define SLICE_US 1000u /* the slice if the configuration says 0 */

OPS_INLINE reg_t op_use(reg_t state)
{
	(void)fp_use();
	return state;
}

OPS_INLINE reg_t op_release(reg_t id)
{
	hvc(id, 0, 0);
	return HC_ID(FP_RELEASE);
}

/* Release the registers before each window. */
static void run_use(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	sample_after(&run->bench.params, samples, op_release, HC_ID(FP_RELEASE), op_use, 0);
	/* without lazy FP the path is one instruction */
	report_pair("use", samples, run->config.fp != FP_LAZY);
}

/* Use the registers at the end of each window, so that the next window finds them in use. */
static void run_release(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	sample_after(&run->bench.params, samples, op_use, 0, op_release, HC_ID(FP_RELEASE));
	report_pair("release", samples, false);
}

static void make_pattern(uint32_t *words, uint32_t round)
{
	for (uint32_t i = 0; i < FP_WORDS; i++)
		words[i] = (i + 1 + round * FP_WORDS) * 0x9e3779b1u; /* odd, so all differ */
	words[FP_CONTROL_INDEX] = FP_CONTROL_VALUE;
	if (FP_CONTROL_INDEX + 1 < FP_WORDS)
		words[FP_WORDS - 1] = FP_STATUS_VALUE;
}

/* Wait until the core has had a few turns; do not wait with sched=null. */
OPS_INLINE void wait_turns(const struct guest_run *run)
{
	uint32_t slice_us = run->config.slice_us ? run->config.slice_us : SLICE_US;
	uint64_t slice_ticks = (uint64_t)run->counter_hz * slice_us / US_PER_S;
	uint64_t end = counter_read() + TURNS * slice_ticks;

	while (run->config.sched != SCHED_NULL && read_cntpct_el0() < end)
		;
}

/* Interrupts are masked, and this function calls no function that might use FP registers. */
static uint32_t wrong_words(const struct guest_run *run, uint32_t round)
{
	uint32_t before[FP_WORDS], after[FP_WORDS];
	uint32_t wrong = 0;

	make_pattern(before, round);
	fp_fill(before);
	if (round == 0)
		wait_turns(run);
	else
		hvc(HC_ID(FP_RELEASE), 0, 0);
	fp_store(after);
	for (uint32_t i = 0; i < FP_WORDS; i++)
		wrong += before[i] != after[i];
	return wrong;
}

static void check_kept(const struct guest_run *run)
{
	const uint32_t rounds = 100;
	uint32_t wrong = 0;

	for (uint32_t round = 0; round < rounds; round++)
		wrong += wrong_words(run, round);

	struct member members[] = {
		{ "words", FP_WORDS },
		{ "rounds", rounds },
		{ "wrong", wrong },
	};

	report_check("kept", wrong == 0, members, 3);
}

static void fp_first_use_run(const struct guest_run *run)
{
	run_use(run);
	if (!config_is_native(&run->config))
		run_release(run);
	check_kept(run);
}

static const char *fp_first_use_prepare(const struct guest_run *run)
{
	return run->no_fp ? "this machine has no FP registers for a guest" : NULL;
}

static const struct bench fp_first_use = {
	.name = "fp_first_use",
	.prepare = fp_first_use_prepare,
	.run = fp_first_use_run,
};
BENCH(fp_first_use);
