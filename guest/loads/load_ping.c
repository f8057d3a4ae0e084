/* SPDX-License-Identifier: Apache-2.0 */
/* A load that answers ARP and ping over a link of kind=virtio, and sleeps in between. */
#include "guest/kernel/fail.h"
#include "guest/kernel/ping.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"

/* count each interrupt: an interrupt may follow another without a sleep */
static volatile uint32_t *rounds;

static void on_frames(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	ping_receive(NULL);
	*rounds += 1;
}

static void begin(const struct guest_run *run)
{
	if (ping_refuses(run))
		guest_refuse("load_ping has no link of kind=virtio, base", run->link_base);
	rounds = &((struct guest_run *)(uintptr_t)run->ram_base)->rounds;
	ping_open(run, on_frames);
}

static void load_ping_round(uintptr_t piece)
{
	(void)piece;
	irq_sleep();
}

static const struct load load_ping = {
	.beside = "load_ping",
	.begin = begin,
	.round = load_ping_round,
};
LOAD(load_ping);
