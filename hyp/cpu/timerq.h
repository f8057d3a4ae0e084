/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a core: a queue in order of deadlines. CNTHP fires for the first timer. Only the
 * core itself starts and stops its timers. */
#pragma once

#include "arch/types.h"

struct timer {
	/* link: address of the pointer to this timer; NULL outside of a queue */
	struct timer *next, **link;
	uint64_t deadline; /* CNTPCT */
	/* called at the deadline, after the timer has left the queue */
	void (*function)(struct timer *timer);
};

static inline bool timer_is_queued(const struct timer *timer)
{
	return timer->link != NULL;
}

/* Start a timer, or restart it if it is in the queue. Timers of equal deadlines keep the order of
 * their starts. */
void timerq_start(struct timer *timer, uint64_t deadline);
void timerq_stop(struct timer *timer);

/* Start a timer that is in no queue; stop a timer that is in a queue. */
void timerq_add(struct timer *timer, uint64_t deadline);
void timerq_remove(struct timer *timer);

/* CNTHP fired: call the function of the first timer. The function may start and stop timers. */
void timerq_expire(void);
