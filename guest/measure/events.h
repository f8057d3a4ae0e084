/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PMU events of a window (axis `events`). The event counters are read before and after the window,
 * outside of both clocks, and never stop: after a stop a counter of gem5 misses its first event.
 */
#pragma once

#include "abi/guest_run.h"
#include "lib/stats.h"

#define EVENTS_MAX 4u /* events of a group; they use counters 0 to 3 (guest_arch/ops.h) */

/* The counts of one event in the windows of a variant. */
struct event_counts {
	struct stats warm;
	uint32_t cold;
};

/* Choose the events of the group that this core can count, and set up their counters. Refuse the
 * step if the core can count none. */
void events_init(const struct guest_run *run);

/* Return the number of counted events: 0 with events=off. */
unsigned events_count(void);

/* Return the name of an event in docs/records.md; `event` is below events_count(). */
const char *events_name(unsigned event);

/* The event counters at the beginning and at the end of the last window. */
extern uint32_t events_from[EVENTS_MAX], events_until[EVENTS_MAX];

/* Return the events in the last window, fewer than 2^32. */
uint32_t events_in_window(unsigned event);
