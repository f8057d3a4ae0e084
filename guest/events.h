/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMU events of a window (axis `events`): their counters are read before it and after it, outside
 * of both clocks. They are never stopped: in gem5 a counter that starts misses its first event.
 */
#pragma once

#include "abi/guest_run.h"
#include "lib/stats.h"

#define EVENTS_MAX 4u /* of a group: counters 0 to 3 (guest_arch/ops.h) */

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

/* What the counters had when the last window began, and when it ended. */
extern uint32_t events_from[EVENTS_MAX], events_until[EVENTS_MAX];

/* What that window counted, less than 2^32. */
uint32_t events_in_window(unsigned event);
