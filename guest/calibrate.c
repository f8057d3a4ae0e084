/* SPDX-License-Identifier: Apache-2.0 */
/* The empty window, measured: 101 pairs of counter reads with nothing between them. */
#include "guest/calibrate.h"

#include "guest/report.h"
#include "guest/sample.h"

#define PAIRS 101u
#define HALF (PAIRS / 2)
#define TOLERANCE_TICKS 2u

static uint64_t overhead;

static uint64_t pair[PAIRS];
static unsigned pair_count;

OPS_INLINE reg_t op_nothing(reg_t state)
{
	return state;
}

/* Not inlined, like samples_sink(): registers are then the same as in a benchmark. */
__attribute__((noinline)) static void store_pair(void *unused, uint64_t from, uint64_t until)
{
	(void)unused;
	if (until < from)
		guest_refuse("the counter ran backwards, times", 1);
	pair[pair_count++] = until - from;
}

/* The very window of the benchmarks. */
static void empty_window(sample_sink sink, void *to)
{
	sample_window(op_nothing, 0, false, 0, sink, to);
}

static void take_pairs(void (*empty)(sample_sink sink, void *to))
{
	pair_count = 0;
	for (unsigned i = 0; i < PAIRS; i++)
		empty(store_pair, NULL);
}

/* Sorts the values; for a hundred of them insertion is enough. */
static uint64_t median(uint64_t *value, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		uint64_t moved = value[i];
		unsigned at = i;

		for (; at > 0 && value[at - 1] > moved; at--)
			value[at] = value[at - 1];
		value[at] = moved;
	}
	return value[count / 2];
}

/* The halves must agree within 2 ticks or a quarter, whichever is more. */
static bool agree(uint64_t a, uint64_t b)
{
	uint64_t high = a > b ? a : b;
	uint64_t low = a > b ? b : a;
	uint64_t tolerance = low / 4 > TOLERANCE_TICKS ? low / 4 : TOLERANCE_TICKS;

	return high - low <= tolerance;
}

uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to))
{
	struct stats stats;
	uint64_t typical;
	bool stable;

	take_pairs(empty); /* warm-up: caches, TLBs, the emulator's translations */
	take_pairs(empty);
	stats_init(&stats);
	for (unsigned i = 0; i < PAIRS; i++)
		stats_add(&stats, pair[i]);
	stable = agree(median(pair, HALF), median(pair + HALF, PAIRS - HALF));
	typical = median(pair, PAIRS);
	report_calibration(&stats, typical, stable);
	if (!stable)
		guest_refuse("the counter's own cost is not stable, median ticks", typical);
	return typical;
}

void calibrate(void)
{
	overhead = calibrate_window(empty_window);
}

uint64_t calibrate_overhead(void)
{
	return overhead;
}
