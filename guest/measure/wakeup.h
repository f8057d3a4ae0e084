/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time from the expiry of a timer, which is its CVAL by definition (window cval), to a stamp.
 * The variants are busy-vector, busy-handler, busy-task, wfi-vector, wfi-handler and wfi-task. A
 * benchmark supplies the timer and the handlers, since they are measured. The benchmark irq_phases
 * takes the same wait phase by phase.
 *   busy     the guest runs a loop of memory, counter and branch meanwhile
 *   wfi      the guest sleeps with interrupts masked, and unmasks them when WFI returns, as an idle
 *            loop must: one instruction more than busy. With wfi=trapped the window also has the
 *            exit and the wait at EL2
 *   vector   the first stamp in the interrupt vector. Raw under icount, natively: 2 on AArch64
 *            (stp mrs), 3 on AArch32
 *   handler  the first statement of the handler
 *   task     the first instruction of the EL0 task that the handler wakes
 * Periods are `period` ticks and up to 63 more at random, so that no loop's length divides them. In
 * busy a lost interrupt refuses the step; in wfi the guest then sleeps until the step's time limit.
 * On silicon the window also holds the delays of timer and GIC, the waking of the core, and the
 * exception entry. docs/design/windows.md explains windows on a shared core.
 */
#pragma once

#include "arch/counter.h"
#include "guest/kernel/irq.h"
#include "guest/kernel/task.h"
#include "guest/measure/bench.h"
#include "lib/random.h"

enum wakeup_stage { STAGE_VECTOR, STAGE_HANDLER, STAGE_TASK };

extern volatile uint64_t wakeup_vector, wakeup_handler; /* stamps of the last interrupt */
extern volatile uint32_t wakeup_handled;                /* number of interrupts so far */

struct wakeup_timer {
	unsigned intid;
	void (*arm)(uint64_t ticks); /* program the timer to fire when CNTPCT is `ticks` */
	irq_handler on_timer, on_timer_wake;
};

/* Return the next CVAL: a period from now and a few random ticks more, so that no period divides
 * the length of a loop. */
uint64_t wakeup_cval(const struct guest_run *run, struct random *random);

/* Run until wakeup_handled is no longer `count`, or until half a second after `from`, when the
 * interrupt counts as lost. Interrupts are masked before and after. The task runs before the
 * interrupted code continues, so its count changes with the handler's. */
void wakeup_wait_busy(const struct guest_run *run, uint32_t count, uint64_t from);

/*
 * Refuse the step unless every interrupt was handled. task_count: the task's count before the first
 * interrupt.
 */
void wakeup_check_handled(uint32_t fired);
void wakeup_check_task(uint32_t fired, uint32_t task_count);

/* Wake the task from a handler, if the variant stamps in the task. */
static inline void wakeup_task(void)
{
	wakeup_handled++;
	task_wake();
}

/* Run every variant of `timer`. */
void wakeup_run(const struct guest_run *run, const struct wakeup_timer *timer);

/* The two handlers of a timer whose line quiet() lowers. */
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
