/* SPDX-License-Identifier: Apache-2.0 */
/* The other end of a link: answers each request, and sleeps meanwhile. */
#include "arch/counter.h"
#include "guest/kernel/link.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"

static struct link_window *window;
static volatile uint32_t *rounds; /* rings count: one may follow the other without a sleep */

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

/* This VM may have been started anew, after it wrote an answer and before it rang. */
static void begin(const struct guest_run *run)
{
	rounds = &((struct guest_run *)(uintptr_t)run->ram_base)->rounds;
	if (!run->link_base) {
		*rounds = 1; /* no VM is at the other end: this one has done all there is */
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
