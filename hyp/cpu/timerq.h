/* SPDX-License-Identifier: Apache-2.0 */
/* The timers of a core: a queue by deadline, whose first one CNTHP fires for. Each core starts and
 * stops its own timers alone. */
#pragma once

#include "arch/types.h"

struct timer {
	struct timer *next, **link; /* link: what points to this timer; NULL: not in a queue */
	uint64_t deadline;          /* CNTPCT */
	void (*function)(struct timer *timer); /* at the deadline; the timer is in no queue then */
};

static inline bool timer_is_queued(const struct timer *timer)
{
	return timer->link != NULL;
}

/* From now on, whether the timer was in the queue or not. Of equal deadlines the one that was
 * started first comes first. */
void timerq_start(struct timer *timer, uint64_t deadline);
void timerq_stop(struct timer *timer);

/* The same for a timer that is in no queue, and for a timer that is in one. */
void timerq_add(struct timer *timer, uint64_t deadline);
void timerq_remove(struct timer *timer);

/* CNTHP fired: calls the function of the first timer, which may start and stop timers. */
void timerq_expire(void);
