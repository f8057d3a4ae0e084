/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The measuring window itself, around paths of known length. No configuration skips this benchmark
 * or should change its values. Counted by hand, under icount:
 *   pair     isb, isb, mrs: raw 3, the second isb of the first read and the first isb of the next
 *            read; the overhead is 0
 *   nop10    10 nops between the reads: raw 13, value 10; on silicon the value may be 0
 *   loop200  a loop that runs subs, b.ne 100 times: raw 203, value 200
 * Proof: tests/qemu/test_counted.py; gate: tests/expected.
 */
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/report.h"

#define LOOP_INSTRUCTIONS 200u

OPS_INLINE reg_t op_nothing(reg_t state)
{
	return state;
}

OPS_INLINE reg_t op_nop10(reg_t state)
{
	nop_10();
	return state;
}

/* The loop destroys its argument: the next loop gets the constant again, before its window. */
OPS_INLINE reg_t op_loop(reg_t instructions)
{
	delay_instructions(instructions);
	return LOOP_INSTRUCTIONS;
}

static void report_variant(const char *variant, bool bare, const struct samples *samples)
{
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
		.bare = bare,
		.may_be_zero = true,
	};

	report_bench(&info, samples);
}

static void counter_run(const struct guest_run *run)
{
	const struct bench_params *params = &run->bench.params;
	struct samples *samples = samples_begin();

	sample_pairs(params, samples, op_nothing, 0);
	report_variant("pair", true, samples);
	samples = samples_begin();
	sample_pairs(params, samples, op_nop10, 0);
	report_variant("nop10", false, samples);
	samples = samples_begin();
	sample_pairs(params, samples, op_loop, LOOP_INSTRUCTIONS);
	report_variant("loop200", false, samples);
}

static const struct bench counter = { .name = "counter", .run = counter_run };
BENCH(counter);
