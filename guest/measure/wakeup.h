/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the expiry of a timer, which is its CVAL by definition (window cval), to a stamp: variants
 * busy-vector, busy-handler, busy-task, wfi-vector, wfi-handler, wfi-task. A benchmark brings the
 * timer and the handlers, since they are measured; irq_phases has the same wait, phase by phase.
 *   busy     the guest meanwhile runs a loop of memory, counter and branch
 *   wfi      it sleeps with interrupts masked, and unmasks them when WFI returns, as an idle loop
 *            must: one instruction more than busy. With wfi=trapped the exit and the wait at EL2
 *            are in the window
 *   vector   the first stamp in the interrupt vector. Raw under icount, natively: 2 on AArch64
 *            (stp mrs), 3 on AArch32
 *   handler  the first statement of the handler
 *   task     the first instruction of the EL0 task that the handler wakes
 * Periods are `period` ticks, with up to 63 more at random, so that they divide no loop's length. A
 * lost interrupt refuses the step in busy; in wfi it sleeps until the step's time limit. On silicon
 * the window also holds the delays of timer and GIC, waking, exception entry. Windows of a shared
 * core: docs/design/windows.md.
 */
#pragma once

#include "arch/counter.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/task.h"
#include "guest/measure/bench.h"
#include "lib/random.h"

enum wakeup_stage { STAGE_VECTOR, STAGE_HANDLER, STAGE_TASK };

extern volatile uint64_t wakeup_vector, wakeup_handler; /* stamps of the last interrupt */
extern volatile uint32_t wakeup_handled;                /* interrupts so far */

struct wakeup_timer {
	unsigned intid;
	void (*arm)(uint64_t ticks); /* fires when CNTPCT is `ticks` */
	irq_handler on_timer, on_timer_wake;
};

/* The next CVAL: a period from now and a few ticks at random, so that no period divides the length
 * of a loop. */
uint64_t wakeup_cval(const struct guest_run *run, struct random *random);

/* Run until wakeup_handled is no longer `count`, or half a second after `from`, when the interrupt
 * is lost. Interrupts are masked before and after. The task runs before the interrupted code goes
 * on, so its count moves with the handler's. */
void wakeup_wait_busy(const struct guest_run *run, uint32_t count, uint64_t from);

/* Refuse where not every interrupt was handled; task_count: the task's count before the first. */
void wakeup_check_handled(uint32_t fired);
void wakeup_check_task(uint32_t fired, uint32_t task_count);

/* From a handler. */
static inline void wakeup_task(void)
{
	wakeup_handled++;
	task_wake();
}

/* Every variant of `timer`. */
void wakeup_run(const struct guest_run *run, const struct wakeup_timer *timer);

/* The two handlers of a timer whose line drops by quiet(). */
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
		wakeup_task();                                                                     \
	}
