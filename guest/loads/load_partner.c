/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gives the core to the measured VM, each time with a stamp:
 *   load_yield        the rest of each turn
 *   active_call       as the active VM of a pair that fails over by a hypercall
 *   active_heartbeat  as one that hangs after a heartbeat
 */
#include "arch/counter.h"
#include "arch/hypercall.h"
#include "guest/load.h"

#define HEARTBEAT_TICKS 5000u

static void yield_round(uintptr_t piece)
{
	(void)piece;
	hvc(HC_ID(YIELD), (uint32_t)counter_read(), 0);
}

static void call_round(uintptr_t piece)
{
	(void)piece;
	hvc(HC_ID(FAIL_OVER), (uint32_t)counter_read(), 0);
}

static void heartbeat_round(uintptr_t piece)
{
	uint64_t deadline = counter_read() + 2 * HEARTBEAT_TICKS;

	(void)piece;
	hvc(HC_ID(HEARTBEAT), HEARTBEAT_TICKS, 0);
	while (counter_read() < deadline)
		;
}

static const struct load load_yield = { .beside = "load_yield", .round = yield_round };
static const struct load active_call = { .beside = "active_call", .round = call_round };
static const struct load active_heartbeat = { .beside = "active_heartbeat",
					      .round = heartbeat_round };
LOAD(load_yield);
LOAD(active_call);
LOAD(active_heartbeat);
