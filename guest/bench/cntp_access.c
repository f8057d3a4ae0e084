/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One access to a register of the physical timer, which the guest owns or EL2 traps (the axis
 * cntp). The timer is on and expires far in the future. The value is ready in a register.
 *   ctl-read    reads CNTP_CTL. Raw under icount, passthrough: 4
 *   cval-write  programs the timer: writes another value to CNTP_CVAL. Raw 4; AArch32 5, with a mov
 *   tval-write  writes CNTP_TVAL, which always gives another CVAL. Raw 4
 * If the access traps, the value is EL2's path and the access itself.
 * Proof: tests/qemu/test_cntp.py; gate: tests/expected.
 */
#include "arch/counter.h"
#include "guest/kernel/ptimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define FAR_TICKS 0x70000000u /* longer than a step takes */
#define FAR_CVAL ((reg_t)0x7000000070000000u)

static struct samples *begin(void)
{
	write_cntp_cval_el0(counter_read() + FAR_TICKS);
	write_cntp_ctl_el0(PTIMER_ENABLE);
	isb();
	return samples_begin();
}

static void end(const struct guest_run *run, const char *variant, const struct samples *samples)
{
	ptimer_off();
	/* the path is one instruction */
	report_pair(variant, samples, run->config.cntp == CNTP_PASSTHROUGH);
}

static reg_t program_otherwise(reg_t ticks)
{
	write_cntp_cval_el0(counter_read() + ticks);
	return ticks;
}

static void cntp_access_run(const struct guest_run *run)
{
	const struct bench_params *params = &run->bench.params;
	struct samples *samples = begin();

	sample_pairs(params, samples, cntp_ctl_read, 0);
	end(run, "ctl-read", samples);
	samples = begin();
	sample_after(params, samples, program_otherwise, FAR_TICKS, cntp_cval_write, FAR_CVAL);
	end(run, "cval-write", samples);
	samples = begin();
	sample_pairs(params, samples, cntp_tval_write, FAR_TICKS);
	end(run, "tval-write", samples);
}

static const struct bench cntp_access = { .name = "cntp_access", .run = cntp_access_run };
BENCH(cntp_access);
