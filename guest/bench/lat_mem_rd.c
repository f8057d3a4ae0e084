/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read latency over growing regions from 4 KiB to 256 MiB (`pages` limits them), which double up to
 * 16 MiB and grow fourfold from there. A sample is a chase of dependent loads, one in each line of
 * 64 bytes, in the alias window of docs/design/memory.md.
 *   seq-<k>K     the lines in ascending order, which prefetchers are made for
 *   random-<k>K  one random cycle (Sattolo's algorithm): in a large region almost every load also
 *                misses the TLBs
 * The lines form one pointer chain, made in place. A region up to 4 MiB uses all its lines; a
 * larger region uses only as many as the samples visit (65536 at least), spread evenly. A sample is
 * 256 loads (batch 256) from where the last sample ended. Raw under icount: 3 and 256 loads for
 * every region, since QEMU models no caches. A check record for each variant: `visited` of `lines`,
 * `apart` lines of 64 bytes from one to the next (odd, so that the lines fall into all sets of the
 * caches), `closed`, `descents` (1 for seq, about half of the steps for random; a quarter or less
 * refuses the step). `kib` is the region.
 * Proof: tests/qemu/test_memory.py.
 */
#include "guest/kernel/fail.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/chase.h"
#include "guest/measure/working.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "lib/pointer_chain.h"

#define LINE_SIZE 64u
#define KIB 1024u
#define REGION_MIN_KIB 4u
/* Regions double up to this size, then grow fourfold: beyond every cache and TLB. */
#define LARGE_KIB 16384u
/* The least number of lines of a large region: 4 MiB of lines, more than a second-level cache. */
#define LINES_MIN 65536u

enum pattern { PATTERN_SEQ, PATTERN_RANDOM };

static const char *const pattern_names[] = { "seq", "random" };

static uint64_t region_max(const struct guest_run *run)
{
	return (uint64_t)run->bench.params.pages * PAGE_SIZE;
}

static void name_variant(struct text *text, enum pattern pattern, uint32_t kib)
{
	text_string(text, pattern_names[pattern]);
	text_char(text, '-');
	text_u64(text, kib);
	text_char(text, 'K');
}

/* Choose the lines to visit in a large region, each once. Ascending lines lie side by side. Lines
 * in random order spread over the whole region, an odd number of lines apart, so that they fall
 * into all sets of the caches. */
static struct pointer_chain lines_of(const struct guest_run *run, uintptr_t base,
				     enum pattern pattern, uint32_t kib)
{
	uint32_t lines = kib * KIB / LINE_SIZE;
	/* with the loads of the cold sample */
	uint32_t visited = (run->bench.params.n + 1) * CHASE_BATCH;
	uint32_t most = visited > LINES_MIN ? visited : LINES_MIN;
	uint32_t apart;

	if (lines <= most)
		return (struct pointer_chain){ base, lines, LINE_SIZE };
	if (pattern == PATTERN_SEQ)
		return (struct pointer_chain){ base, most, LINE_SIZE };
	apart = (lines / most - 1) | 1;
	return (struct pointer_chain){ base, lines / apart, LINE_SIZE * apart };
}

static void link_lines(const struct guest_run *run, const struct pointer_chain *lines,
		       enum pattern pattern)
{
	struct random random;

	if (pattern == PATTERN_SEQ) {
		pointer_chain_ascending(lines);
		return;
	}
	random_init(&random, run->bench.params.seed, lines->count);
	pointer_chain_random(lines, &random);
}

/*
 * Half of the steps of a random order go to a lower address; in ascending order only the last step
 * does.
 */
static bool order_ok(const struct pointer_chain_evidence *evidence, enum pattern pattern)
{
	if (pattern == PATTERN_SEQ)
		return evidence->descents == 1;
	return evidence->descents > evidence->visited / 4;
}

static void check_lines(const char *variant, const struct pointer_chain *lines,
			enum pattern pattern)
{
	struct pointer_chain_evidence evidence = pointer_chain_walk(lines);
	bool ok = pointer_chain_is_whole(lines, &evidence) && order_ok(&evidence, pattern);

	report_check(variant, ok,
		     (struct member[]){
			     { "lines", lines->count },
			     { "visited", evidence.visited },
			     { "apart", lines->stride / LINE_SIZE },
			     { "closed", evidence.closed },
			     { "descents", evidence.descents },
		     },
		     5);
	if (!ok)
		guest_refuse("the lines are not one cycle in this order, visited",
			     evidence.visited);
}

static void report_reads(const char *variant, const struct working *working, uint32_t kib,
			 const struct samples *samples)
{
	struct member members[1 + WORKING_MEMBERS] = { { "kib", kib } };
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = CHASE_BATCH,
		.overhead = calibrate_overhead(),
		.members = members,
		.member_count = ARRAY_SIZE(members),
	};

	working_members(working, members + 1);
	report_bench(&info, samples);
}

static void run_pattern(const struct guest_run *run, const struct working *working,
			enum pattern pattern, uint32_t kib)
{
	const struct pointer_chain lines = lines_of(run, working->base, pattern, kib);
	struct samples *samples;
	char variant[24];
	struct text text;

	text_init(&text, variant, sizeof(variant));
	name_variant(&text, pattern, kib);
	link_lines(run, &lines, pattern);
	check_lines(variant, &lines, pattern);
	samples = samples_begin();
	chase_samples(&run->bench.params, samples, lines.base);
	report_reads(variant, working, kib, samples);
}

static const char *lat_mem_rd_prepare(const struct guest_run *run)
{
	return working_refuses(run, region_max(run));
}

static void lat_mem_rd_run(const struct guest_run *run)
{
	struct working working = working_begin(run, region_max(run));

	for (uint32_t kib = REGION_MIN_KIB; (uint64_t)kib * KIB <= region_max(run);
	     kib *= kib < LARGE_KIB ? 2 : 4)
		for (unsigned pattern = 0; pattern < ARRAY_SIZE(pattern_names); pattern++)
			run_pattern(run, &working, (enum pattern)pattern, kib);
}

static const struct bench lat_mem_rd = {
	.name = "lat_mem_rd",
	.prepare = lat_mem_rd_prepare,
	.run = lat_mem_rd_run,
};
BENCH(lat_mem_rd);
