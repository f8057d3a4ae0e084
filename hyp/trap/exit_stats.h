/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exit statistics and the trace ring of this core; fed by the accounting twins of the traps only.
 * What every exit passes through stands here, to be inlined: it may cost 40 instructions
 * (tests/qemu/test_stats.py). So there are no squares, and an exit is simply counted where another
 * one took as many ticks and that is below 512; all others go round by a function.
 */
#pragma once

#include "abi/exit_kind.h"
#include "abi/run_config.h"
#include "arch/types.h"
#include "lib/histogram.h"

struct exit_stat {
	uint64_t total; /* ticks */
	uint32_t min;   /* UINT32_MAX while there are none */
	uint32_t max;
	uint32_t overflow; /* exits of 2^32 ticks and more: in no bucket, UINT32_MAX elsewhere */
	uint32_t count[HISTOGRAM_BUCKETS];
};

extern struct exit_stat exit_stat[EXIT_KIND_COUNT];

/* Put into the begin of an exit, it makes its length impossible: that exit is not counted. */
#define EXIT_NOT_COUNTED (1ull << 63)

/* Likewise: the exit mapped memory at its first touch. What the subtraction makes of it has both
 * this bit and EXIT_NOT_COUNTED set. */
#define EXIT_MAPPED (1ull << 62)

struct vcpu;

/* For a fresh guest: empties both; what is off is not emitted. */
void exit_stats_reset(const struct run_config *config);

/* The vCPU that has the core now: the exits that follow are its own. */
void exit_stats_vcpu(const struct vcpu *vcpu);

/* HC_MEASURE: both begin anew. */
void exit_stats_begin(void);

/* The vCPUs that exit_stats_emit() reports. */
void exit_stats_choose(struct vcpu *const vcpu[], unsigned count);

/* On core 0: `exits` and `trace` records of what the cores of the chosen vCPUs have counted. */
void exit_stats_emit(void);

/* An exit that exit_stats_add() cannot simply count. */
void exit_stats_add_slowly(struct exit_stat *stat, uint64_t ticks);

/* Counts an exit of so many ticks. */
static inline __attribute__((always_inline)) void exit_stats_add(struct exit_stat *stat,
								 uint64_t ticks)
{
	if (__builtin_expect(ticks < HISTOGRAM_EXACT && stat->count[ticks] != 0, 1)) {
		stat->total += (uint32_t)ticks;
		stat->count[ticks]++;
	} else {
		exit_stats_add_slowly(stat, ticks);
	}
}

/* One exit for the trace: its kind, an argument, CNTPCT at its begin, its length in ticks. */
void exit_stats_trace(enum exit_kind kind, uint64_t arg, uint64_t start, uint64_t ticks);
