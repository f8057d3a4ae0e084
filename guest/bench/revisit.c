/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A periodic task that returns to its data. The guest sleeps for a period (`period`, `period_us`)
 * and then reads its whole working set once, line after line in random order; each load depends on
 * the load before. Activity in between, on this core or on another, evicts lines and translations
 * that the task left in caches and TLBs (docs/neighbours.md).
 *   16K, 64K, 256K, 512K   every line of 64 bytes of so many KiB, which fit in caches
 *   2048p                  a line in each of 2048 pages of 4 KiB: more than TLBs hold, so that its
 *                          loads include the walks of both stages, whose entries the caches hold
 * `pages` limits them. The window is the whole read, from the isb after the opening read to the
 * closing read; the sleep and the interrupt that ends it are before. `batch` is the number of
 * loads. Raw under icount: 3 instructions a load and one, since QEMU models no caches. The longer
 * the period, the more lines a neighbour can evict; a working set that is read all the time keeps
 * its lines in a cache that replaces the least recently used line. A check record for each variant:
 * the lines `visited` of `lines`, and `closed`.
 * Proof: tests/qemu/test_revisit.py.
 */
#include "guest/kernel/fail.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/working.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "lib/pointer_chain.h"

#define LINE_SIZE 64u
#define KIB 1024u
#define DENSE(kib) ((kib)*KIB / LINE_SIZE), LINE_SIZE
/*
 * Each page uses the line after the last page's, so that the lines fall into all sets of a cache.
 */
#define SPARSE(pages) (pages), (PAGE_SIZE + LINE_SIZE)

/*
 * Working sets that fit in the first level of common caches, in the second level, and in a quarter
 * and a half of 1 MiB.
 */
static const struct set {
	const char *name;
	uint32_t lines, stride;
} sets[] = {
	{ "16K", DENSE(16) },   { "64K", DENSE(64) },      { "256K", DENSE(256) },
	{ "512K", DENSE(512) }, { "2048p", SPARSE(2048) },
};

static uint64_t period; /* ticks */
static volatile uint32_t woken;

static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	vtimer_quiet();
	woken++;
}

static __attribute__((noinline)) reg_t sleep_a_period(reg_t unused)
{
	uint32_t before = woken;

	vtimer_arm(counter_read() + period);
	while (woken == before)
		irq_sleep();
	return unused;
}

static uint64_t size_of(const struct set *set)
{
	return align_up((uint64_t)set->lines * set->stride, PAGE_SIZE);
}

static bool fits(const struct guest_run *run, const struct set *set)
{
	return size_of(set) <= (uint64_t)run->bench.params.pages * PAGE_SIZE;
}

/* The smallest set fits with every value of `pages`. */
static uint64_t largest(const struct guest_run *run)
{
	unsigned i = ARRAY_SIZE(sets) - 1;

	while (!fits(run, &sets[i]))
		i--;
	return size_of(&sets[i]);
}

static void check_lines(const char *variant, const struct pointer_chain *lines)
{
	struct pointer_chain_evidence evidence = pointer_chain_walk(lines);
	bool ok = pointer_chain_is_whole(lines, &evidence);

	report_check(variant, ok,
		     (struct member[]){
			     { "lines", lines->count },
			     { "visited", evidence.visited },
			     { "closed", evidence.closed },
		     },
		     3);
	if (!ok)
		guest_refuse("the lines are not one cycle, visited", evidence.visited);
}

static void report_reads(const struct set *set, const struct working *working,
			 const struct samples *samples)
{
	struct member members[1 + WORKING_MEMBERS] = { { "kib", (int64_t)(size_of(set) / KIB) } };
	struct bench_info info = {
		.variant = set->name,
		.window = WINDOW_PAIR,
		.batch = set->lines,
		.overhead = calibrate_overhead(),
		.members = members,
		.member_count = ARRAY_SIZE(members),
	};

	working_members(working, members + 1);
	report_bench(&info, samples);
}

static void run_set(const struct guest_run *run, const struct working *working,
		    const struct set *set)
{
	const struct pointer_chain lines = { working->base, set->lines, set->stride };
	struct samples *samples;
	struct random random;

	random_init(&random, run->bench.params.seed, set->lines);
	pointer_chain_random(&lines, &random);
	check_lines(set->name, &lines);
	samples = samples_begin();
	sample_after(&run->bench.params, samples, sleep_a_period, 0, chase_round, lines.base);
	report_reads(set, working, samples);
}

static const char *revisit_prepare(const struct guest_run *run)
{
	return working_refuses(run, largest(run));
}

static void revisit_run(const struct guest_run *run)
{
	struct working working = working_begin(run, largest(run));

	period = vtimer_period(run);
	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
	for (unsigned i = 0; i < ARRAY_SIZE(sets); i++)
		if (fits(run, &sets[i]))
			run_set(run, &working, &sets[i]);
}

static const struct bench revisit = {
	.name = "revisit",
	.prepare = revisit_prepare,
	.run = revisit_run,
};
BENCH(revisit);
