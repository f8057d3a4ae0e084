/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chase of dependent pointers over working sets of 8 to 65536 pages of 4 KiB (`pages` is the
 * largest): the cost of a TLB miss, with stage 2 on or off, and either stage mapped in pages or
 * blocks (docs/design/memory.md). Three patterns use the same number of cache lines:
 *   random-<n>p  a line in each page, at a random place, the pages in random order
 *   seq-<n>p     a line in each page, the pages in ascending order: prefetchers and walk caches
 *                help
 *   packed-<n>p  the control: the lines side by side in n/64 pages, in random order
 * A miss costs random - packed of one size, as long as the n/64 pages fit in the TLB. The lines of
 * a pattern form one cycle. A sample is 256 loads (batch 256) from where the last sample ended. A
 * check record before each variant follows the pointers and counts: `visited` of `pages`,
 * `same_page` successive loads in one page (0 for random and seq), `descents` (1 for seq),
 * `closed`; a wrong pattern is refused. Under icount every value is 256, since QEMU models no TLBs.
 * With CLOCK=host the tool shows whether random cost more than packed, and two stages more than
 * stage 1 only.
 * Proof: tests/qemu/test_counted.py.
 */
#include "guest/kernel/fail.h"
#include "guest/measure/bench.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/chase.h"
#include "guest/measure/working.h"
#include "lib/bits.h"
#include "lib/pagetable.h"
#include "lib/random.h"

#define LINE_SIZE 64u
#define LINES_PER_PAGE (PAGE_SIZE / LINE_SIZE)
#define PAGES_MAX 65536u

enum pattern { PATTERN_RANDOM, PATTERN_SEQ, PATTERN_PACKED };

static const char *const pattern_names[] = { "random", "seq", "packed" };

/* Working sets below, at and above the TLB sizes of common cores. */
static const uint32_t set_pages[] = { 8,   10,  16,  24,   32,   40,   48,   64,   128,
				      256, 512, 640, 1024, 1280, 2048, 4096, 65536 };

/* One working set in the working memory: first the list of its lines, then their pages. */
struct chase {
	const struct working *working;
	enum pattern pattern;
	uint32_t lines;
	uint32_t *offset; /* offset of each line, in the order of the chase */
	uintptr_t base;   /* address of the pages */
};

/* The counts of one walk around the chain. */
struct evidence {
	uint32_t visited;   /* pages in which every line was visited once */
	uint32_t same_page; /* successive loads in the same page */
	uint32_t descents;  /* steps to a lower address: 1 if the lines ascend */
	uint32_t closed;    /* 1 if the cycle ends at its begin */
};

static void choose_offsets(const struct chase *chase, struct random *random)
{
	for (uint32_t i = 0; i < chase->lines; i++) {
		uint32_t line = random_below(random, LINES_PER_PAGE);

		chase->offset[i] = chase->pattern == PATTERN_PACKED
					   ? i * LINE_SIZE
					   : i * PAGE_SIZE + line * LINE_SIZE;
	}
	if (chase->pattern != PATTERN_SEQ)
		random_shuffle(random, chase->offset, chase->lines);
}

static reg_t *line_at(const struct chase *chase, uint32_t index)
{
	return (reg_t *)(chase->base + chase->offset[index]);
}

static void link_lines(const struct chase *chase)
{
	for (uint32_t i = 0; i < chase->lines; i++) {
		uint32_t next = i + 1 < chase->lines ? i + 1 : 0;

		*line_at(chase, i) = (reg_t)line_at(chase, next);
	}
}

/* Follow the pointers in memory, not the list that they were made from. */
static struct evidence examine(const struct chase *chase)
{
	static uint32_t seen[PAGES_MAX / 32];
	struct evidence evidence = { 0, 0, 0, 0 };
	reg_t start = (reg_t)line_at(chase, 0), at = start;
	uint32_t last_page = PAGES_MAX;

	for (uint32_t i = 0; i < PAGES_MAX / 32; i++)
		seen[i] = 0;
	for (uint32_t i = 0; i < chase->lines; i++) {
		uint32_t page = (uint32_t)(at - chase->base) / PAGE_SIZE;

		evidence.same_page += page == last_page;
		evidence.visited += !bit_test(seen, page);
		bit_set(seen, page);
		last_page = page;
		evidence.descents += *(reg_t *)at < at;
		at = *(reg_t *)at;
	}
	evidence.closed = at == start;
	return evidence;
}

static uint32_t pages_of(const struct chase *chase)
{
	if (chase->pattern == PATTERN_PACKED)
		return (chase->lines + LINES_PER_PAGE - 1) / LINES_PER_PAGE;
	return chase->lines;
}

static bool report_evidence(const struct chase *chase, const char *variant)
{
	struct evidence evidence = examine(chase);
	bool apart = chase->pattern == PATTERN_PACKED || evidence.same_page == 0;
	bool ok = evidence.closed && evidence.visited == pages_of(chase) && apart;
	struct member members[] = {
		{ "lines", chase->lines },         { "pages", pages_of(chase) },
		{ "visited", evidence.visited },   { "same_page", evidence.same_page },
		{ "descents", evidence.descents }, { "closed", evidence.closed },
	};

	report_check(variant, ok, members, 6);
	return ok;
}

static void name_variant(struct text *text, const struct chase *chase)
{
	text_string(text, pattern_names[chase->pattern]);
	text_char(text, '-');
	text_u64(text, chase->lines);
	text_char(text, 'p');
}

static void report_chase(const struct chase *chase, const char *variant,
			 const struct samples *samples)
{
	struct member members[1 + WORKING_MEMBERS] = { { "pages", chase->lines } };
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = CHASE_BATCH,
		.overhead = calibrate_overhead(),
		.members = members,
		.member_count = ARRAY_SIZE(members),
	};

	working_members(chase->working, members + 1);
	report_bench(&info, samples);
}

static void run_pattern(const struct guest_run *run, const struct chase *chase)
{
	struct samples *samples;
	char variant[24];
	struct random random;
	struct text text;

	text_init(&text, variant, sizeof(variant));
	name_variant(&text, chase);
	random_init(&random, run->bench.params.seed, chase->lines);
	choose_offsets(chase, &random);
	link_lines(chase);
	if (!report_evidence(chase, variant))
		guest_refuse("the working set is not what it should be, lines", chase->lines);
	samples = samples_begin();
	chase_samples(&run->bench.params, samples, (reg_t)line_at(chase, 0));
	report_chase(chase, variant, samples);
}

static uint64_t list_size(const struct guest_run *run)
{
	return align_up(run->bench.params.pages * sizeof(uint32_t), PAGE_SIZE);
}

static uint64_t memory_size(const struct guest_run *run)
{
	return list_size(run) + (uint64_t)run->bench.params.pages * PAGE_SIZE;
}

static const char *tlb_chase_prepare(const struct guest_run *run)
{
	return working_refuses(run, memory_size(run));
}

static void tlb_chase_run(const struct guest_run *run)
{
	struct working working = working_begin(run, memory_size(run));
	struct chase chase = {
		.working = &working,
		.offset = (uint32_t *)working.base,
		.base = working.base + (uintptr_t)list_size(run),
	};

	for (unsigned i = 0; i < ARRAY_SIZE(set_pages); i++) {
		chase.lines = set_pages[i];
		if (chase.lines > run->bench.params.pages)
			break;
		for (unsigned pattern = 0; pattern < ARRAY_SIZE(pattern_names); pattern++) {
			chase.pattern = (enum pattern)pattern;
			run_pattern(run, &chase);
		}
	}
}

static const struct bench tlb_chase = {
	.name = "tlb_chase",
	.prepare = tlb_chase_prepare,
	.run = tlb_chase_run,
};
BENCH(tlb_chase);
