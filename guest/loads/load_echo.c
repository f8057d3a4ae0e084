/* SPDX-License-Identifier: Apache-2.0 */
/* The load at the other end of a link: it answers each request and sleeps in between. */
#include "arch/counter.h"
#include "guest/kernel/link.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"

static struct link_window *window;
static volatile uint32_t *rounds; /* count each ring: a ring may follow another without a sleep */

static void answer(void)
{
	if (link_answer(window) || link_take(window))
		link_ring();
}

static void on_ring(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	window->heard = counter_read();
	link_receive();
	answer();
	*rounds += 1;
}

/* Answer first: this VM may have restarted after it wrote an answer and before it rang. */
static void begin(const struct guest_run *run)
{
	rounds = &((struct guest_run *)(uintptr_t)run->ram_base)->rounds;
	if (!run->link_base) {
		*rounds = 1; /* without a VM at the other end, one round is all the work */
		return;
	}
	window = link_open(run, on_ring);
	link_answer(window);
	link_take(window);
	link_ring();
}

static void load_echo_round(uintptr_t piece)
{
	(void)piece;
	irq_sleep();
}

static const struct load load_echo = {
	.beside = "load_echo",
	.begin = begin,
	.round = load_echo_round,
};
LOAD(load_echo);
