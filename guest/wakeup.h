/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the expiry of a timer, which is its CVAL by definition, to the first stamp in the interrupt
 * vector, in the handler, or in the EL0 task that the handler wakes; the guest meanwhile busy in a
 * loop, or asleep in WFI. A benchmark brings the timer: its handlers are its own, for they are what
 * is measured.
 */
#pragma once

#include "arch/counter.h"
#include "guest/bench.h"
#include "guest/irq.h"
#include "guest/task.h"

enum wakeup_stage { STAGE_VECTOR, STAGE_HANDLER, STAGE_TASK };

extern volatile uint64_t wakeup_vector, wakeup_handler; /* stamps of the last interrupt */
extern volatile uint32_t wakeup_handled;                /* interrupts so far */

struct wakeup_timer {
	unsigned intid;
	void (*arm)(uint64_t ticks); /* it fires when CNTPCT is that */
	irq_handler on_timer, on_timer_wake;
};

/* Every variant of `timer`. */
void wakeup_run(const struct guest_run *run, const struct wakeup_timer *timer);

/* The two handlers of a timer that quiet() makes drop its line. */
#define WAKEUP_HANDLERS(quiet)                                                                     \
	static void on_timer(uint64_t vector_ticks, uint32_t iar)                                  \
	{                                                                                          \
		(void)iar;                                                                         \
		wakeup_handler = counter_read();                                                   \
		wakeup_vector = vector_ticks;                                                      \
		quiet();                                                                           \
		wakeup_handled++;                                                                  \
	}                                                                                          \
                                                                                                   \
	static void on_timer_wake(uint64_t vector_ticks, uint32_t iar)                             \
	{                                                                                          \
		(void)iar;                                                                         \
		(void)vector_ticks;                                                                \
		quiet();                                                                           \
		wakeup_handled++;                                                                  \
		task_wake();                                                                       \
	}
