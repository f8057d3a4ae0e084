/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMU events of a window (axis `events`). Their counters count from events_open() to events_close()
 * and stand still otherwise, so that they are read outside of every window.
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "lib/stats.h"

#define EVENTS_MAX 4u /* of a group */
#define EVENT_COUNTERS ((1u << EVENTS_MAX) - 1)

/* One event in the windows of a variant. */
struct event_counts {
	struct stats warm;
	uint32_t cold;
};

/* Chooses those of the group that this core counts, and sets their counters up; refuses the step
 * where there are none. */
void events_init(const struct guest_run *run);

/* How many are counted: 0 with events=off. */
unsigned events_count(void);

/* As docs/records.md has it, below events_count(). */
const char *events_name(unsigned event);

/* What the windows since the last call counted, less than 2^32. */
uint32_t events_since(unsigned event);

/* In effect with the isb that a counter's read begins with. Both go by what the register has: a
 * constant would be moved about, or take a register from the path. */
static inline __attribute__((always_inline)) void events_open(void)
{
	write_pmcntenset_el0(read_pmcntenset_el0() | EVENT_COUNTERS);
}

static inline __attribute__((always_inline)) void events_close(void)
{
	write_pmcntenclr_el0(read_pmcntenset_el0() & EVENT_COUNTERS);
	isb();
}
