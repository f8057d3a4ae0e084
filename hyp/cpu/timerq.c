/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/timerq.h"

#include "arch/counter.h"
#include "drivers/timer/timer.h"
#include "lib/percpu.h"

static struct timer *first PERCPU_HOT;

static void program(void)
{
	if (first)
		timer_hyp_start(first->deadline);
	else
		timer_hyp_stop();
}

static void insert(struct timer *timer)
{
	struct timer **link = &first;

	/* bound: CORE_TIMERS */
	while (*link && (*link)->deadline <= timer->deadline)
		link = &(*link)->next;
	timer->next = *link;
	timer->link = link;
	*link = timer;
	if (timer->next)
		timer->next->link = &timer->next;
}

void timerq_add(struct timer *timer, uint64_t deadline)
{
	timer->deadline = deadline;
	insert(timer);
	if (first != timer)
		return;
	if (timer->next)
		timer_hyp_move(deadline);
	else
		timer_hyp_start(deadline);
}

static void take(struct timer *timer)
{
	*timer->link = timer->next;
	if (timer->next)
		timer->next->link = timer->link;
	timer->link = NULL;
}

void timerq_start(struct timer *timer, uint64_t deadline)
{
	const struct timer *before = first;
	bool moves = before == timer && deadline != timer->deadline;

	if (timer_is_queued(timer))
		take(timer);
	timer->deadline = deadline;
	insert(timer);
	if (moves || first != before)
		program();
}

void timerq_remove(struct timer *timer)
{
	bool was_first = first == timer;

	take(timer);
	if (was_first)
		program();
}

void timerq_stop(struct timer *timer)
{
	if (timer_is_queued(timer))
		timerq_remove(timer);
}

/* Another timer may be due: CNTHP then fires again. The counter read needs no barrier: after an
 * early read CNTHP, which compares with the counter itself, fires at once. */
void timerq_expire(void)
{
	struct timer *timer = first;

	if (!timer || read_cntpct_el0() < timer->deadline)
		return;
	first = timer->next;
	timer->link = NULL;
	if (first) {
		first->link = &first;
		timer_hyp_move(first->deadline);
	} else {
		timer_hyp_stop();
	}
	timer->function(timer);
}
