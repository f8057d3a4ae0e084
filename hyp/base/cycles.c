/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/base/cycles.h"

#include "arch/barrier.h"
#include "arch/pmu.h"
#include "hyp/base/clock.h"
#include "lib/median.h"

#define WINDOWS 5u
#define US_PER_S 1000000u

struct instant {
	uint64_t ticks;
	reg_t cycles;
};

/*
 * Read both counters. The function is not inlined, so that the distance between the reads is
 * constant.
 */
static __attribute__((noinline)) struct instant now(void)
{
	struct instant instant;

	isb();
	instant.ticks = read_cntpct_el0();
	isb();
	instant.cycles = pmu_cycles();
	isb();
	return instant;
}

/* A window has about 2^22 cycles at most, so the product stays below 2^64. */
static uint64_t window_hz(uint64_t window_ticks, uint64_t tick_hz)
{
	struct instant from = now(), until;
	uint64_t ticks, cycles;

	do
		until = now();
	while (until.ticks - from.ticks < window_ticks);
	ticks = until.ticks - from.ticks;
	cycles = (reg_t)(until.cycles - from.cycles);
	return (cycles * tick_hz + ticks / 2) / ticks;
}

uint64_t cycles_hz(uint32_t window_us)
{
	uint64_t tick_hz = clock_hz();
	uint64_t window_ticks = tick_hz * window_us / US_PER_S + 1;
	uint64_t hz[WINDOWS];

	if (!pmu_is_there())
		return 0;
	pmu_start();
	for (unsigned i = 0; i < WINDOWS; i++)
		hz[i] = window_hz(window_ticks, tick_hz);
	return median(hz, WINDOWS);
}

enum cycles_use cycles_resolve(enum cycles_use requested, enum platform platform)
{
	if (requested != CYCLES_AUTO)
		return requested;
	return (platform == PLATFORM_SILICON || platform == PLATFORM_GEM5) && pmu_is_there()
		       ? CYCLES_ON
		       : CYCLES_OFF;
}
