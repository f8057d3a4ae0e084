/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed amount of work without EL2. Beside other VMs its time shows the share that they take
 * (scenario paper-s4-vms).
 *   cpu     1000 steps of a xorshift generator, on registers
 *   stride  rewrites 256 words, 4 KiB apart, from where the last sample ended, through `pages`
 *           pages (256 at least) of the alias window of docs/design/memory.md
 * Raw under icount: 3 and the instructions of the work, since QEMU models no caches, TLBs and
 * bandwidth. With batch=N a sample is also one piece of work. Check `rewritten`: `words`, each with
 * as many rewrites as the samples have.
 * Proof: tests/qemu/test_studies.py.
 */
#include "arch/barrier.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"
#include "guest/measure/working.h"
#include "lib/pagetable.h"

#define STEPS 1000u
#define WORDS 256u
#define PIECE (WORDS * PAGE_SIZE)

static uintptr_t first, end;

static __attribute__((noinline)) reg_t compute(void)
{
	reg_t value = first | 1;

	for (unsigned i = 0; i < STEPS; i++) {
		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
	}
	return value;
}

OPS_INLINE reg_t op_cpu(reg_t state)
{
	(void)state;
	return compute();
}

/* Rewrite a piece and return the next one, by the same instructions for every piece. */
static __attribute__((noinline)) reg_t rewrite(reg_t piece)
{
	uintptr_t at = piece;

	for (unsigned i = 0; i < WORDS; i++, at += PAGE_SIZE)
		*(volatile uint32_t *)at += 1;
	return at - ((end - first) & (0 - (uintptr_t)(at == end)));
}

OPS_INLINE reg_t op_stride(reg_t piece)
{
	return rewrite(piece);
}

/*
 * Before a window: let an emulator of several cores switch to the next core here, and not within
 * the window.
 */
OPS_INLINE reg_t op_relax(reg_t state)
{
	cpu_relax();
	return state;
}

static void run_cpu(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	sample_after(&run->bench.params, samples, op_relax, 0, op_cpu, 0);
	report_pair("cpu", samples, false);
}

static uint32_t pieces(const struct guest_run *run)
{
	return run->bench.params.pages < WORDS ? 1 : run->bench.params.pages / WORDS;
}

static void clear(void)
{
	for (uintptr_t at = first; at < end; at += PAGE_SIZE)
		*(volatile uint32_t *)at = 0;
}

static void check(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n, words = 0, wrong = 0;

	for (uintptr_t at = first; at < end; at += PAGE_SIZE, words++) {
		uint32_t piece = words / WORDS;
		uint32_t rewrites = piece > n ? 0 : (n - piece) / pieces(run) + 1;

		wrong += *(volatile uint32_t *)at != rewrites;
	}

	struct member members[] = { { "words", words }, { "wrong", wrong } };

	report_check("rewritten", wrong == 0, members, 2);
}

static void run_stride(const struct guest_run *run)
{
	struct samples *samples = samples_begin();

	clear();
	sample_after(&run->bench.params, samples, op_relax, 0, op_stride, first);
	report_pair("stride", samples, false);
	check(run);
}

static void work_run(const struct guest_run *run)
{
	struct working working = working_begin(run, (uint64_t)pieces(run) * PIECE);

	first = working.base;
	end = working.base + pieces(run) * PIECE;
	run_cpu(run);
	run_stride(run);
}

static const char *work_prepare(const struct guest_run *run)
{
	return working_refuses(run, (uint64_t)pieces(run) * PIECE);
}

static const struct bench work = { .name = "work", .prepare = work_prepare, .run = work_run };
BENCH(work);
