/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exit statistics and the trace ring of a vCPU, for trap_account.c. The inline path of every exit
 * may cost 40 instructions, 43 on ARMv7 (tests/qemu/test_stats.py). The path therefore sums no
 * squares, and counts only an exit of less than 512 ticks that is as long as an earlier exit; a
 * function counts the others.
 */
#pragma once

#include "abi/exit_kind.h"
#include "abi/run_config.h"
#include "arch/types.h"
#include "lib/buckets.h"

struct exit_stat {
	uint64_t total; /* ticks */
	uint32_t min;   /* UINT32_MAX without exits */
	uint32_t max;
	/* exits of 2^32 ticks and more, which have no bucket; UINT32_MAX in other members */
	uint32_t overflow;
	uint32_t count[HISTOGRAM_BUCKETS];
	struct exit_stats *all; /* statistics of the vCPU */
};

#define TRACE_EVENTS 256u /* the trace keeps the last events; a power of two */

/*
 * Events that only the trace has, in addition to the kinds of exits: a scenario event has paused,
 * or resumes, the vCPU's VM.
 */
#define TRACE_PAUSE EXIT_KIND_COUNT
#define TRACE_RESUME (EXIT_KIND_COUNT + 1)

/* One exit in the trace ring. */
struct trace_rec {
	uint64_t ticks; /* CNTPCT at the exit */
	/* irq: INTID, and from bit 32 on ticks since its timer fired. hvc: function id. mmio and
	 * faults: IPA in 40 bits, above them bits 31 to 8 of a stored value. Others: syndrome, and
	 * from bit 32 on the value of an MSR. */
	uint64_t arg;
	uint32_t duration_ticks; /* time until the return to the guest was prepared */
	uint32_t stat;           /* EXIT_STAT() of the exit's kind */
	bool paused;             /* the vCPU's VM was paused at the exit's end */
};

/* vcpu->stats */
struct exit_stats {
	const struct vcpu *vcpu;
	uint32_t traced;                      /* number of all exits so far */
	struct trace_rec event[TRACE_EVENTS]; /* exit n is event[n % TRACE_EVENTS] */
	struct exit_stat stat[EXIT_KIND_COUNT];
};

#define EXIT_STATS_MAX 5u /* vCPUs with statistics at a time: 360 KiB each */

/*
 * A bit in the start of an exit that makes its length impossible, so that the exit is not counted.
 */
#define EXIT_NOT_COUNTED (1ull << 63)

/* A bit for an exit that mapped memory at the first access. The subtraction that gives the exit's
 * length sets both this bit and EXIT_NOT_COUNTED. */
#define EXIT_MAPPED (1ull << 62)

struct vm;

/* Begin a fresh run: no vCPU has statistics. */
void exit_stats_reset(const struct run_config *config);

/* Give the vCPU empty statistics if they or the trace are on. At most EXIT_STATS_MAX vCPUs have
 * statistics: the host tool checks the plan. */
void exit_stats_attach(struct vcpu *vcpu);

/* HC_MEASURE: empty the statistics of this core's vCPUs. */
void exit_stats_begin(const struct vcpu *vcpu);

/* Emit `exits` and `trace` records, one vCPU after another. */
void exit_stats_emit(void);

/* The rare part of exit_stats_add(). */
void exit_stats_add_slowly(struct exit_stat *stat, uint64_t ticks);

/* Offset in struct exit_stats of the statistics of an exit kind. */
#define EXIT_STAT(kind) (offsetof(struct exit_stats, stat) + (kind) * sizeof(struct exit_stat))

static inline struct exit_stat *exit_stat_at(struct exit_stats *stats, size_t at)
{
	return (struct exit_stat *)((char *)stats + at);
}

/* Count an exit of `ticks` ticks. */
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

/* Trace one exit: EXIT_STAT() of its kind, an argument, CNTPCT at its begin, its length in
 * ticks. */
void exit_stats_trace(const struct vcpu *vcpu, size_t stat, uint64_t arg, uint64_t start,
		      uint64_t ticks);

/* Trace that an event has paused the VM, or is about to resume it. The VM's vCPUs make no exits
 * meanwhile. */
void exit_stats_trace_event(const struct vm *vm, enum exit_kind event);
