/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMU events of a window (axis `events`): the event counters are read before and after the
 * window, outside of both clocks, and never stopped: in gem5 a counter misses its first event.
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

/* Choose the events of the group that this core counts, and set up their counters. Refuses the step
 * where the core counts none. */
void events_init(const struct guest_run *run);

/* The number of events that are counted: 0 with events=off. */
unsigned events_count(void);

/* The name of an event in docs/records.md; `event` is below events_count(). */
const char *events_name(unsigned event);

/* The counters at the beginning and at the end of the last window. */
extern uint32_t events_from[EVENTS_MAX], events_until[EVENTS_MAX];

/* The events in that window, less than 2^32. */
uint32_t events_in_window(unsigned event);
