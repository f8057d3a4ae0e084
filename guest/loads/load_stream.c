/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads of traffic to a VM that runs load_echo. Each transfer begins as soon as the last was
 * received:
 *   load_net    32 blocks of 1024 bytes: a network at its limit
 *   load_block  4 KiB: writes to a disk that another VM serves
 *   load_ring   endless rings: the window is empty, and no answer comes
 */
#include "arch/counter.h"
#include "guest/kernel/fail.h"
#include "guest/kernel/link.h"
#include "guest/loads/load.h"
#include "guest_arch/ops.h"

#define NET_BLOCKS LINK_BLOCKS
#define DISK_BLOCKS 4u

static struct link_window *window;

static void on_ring(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	link_receive();
}

static void begin(const struct guest_run *run)
{
	if (!run->link_base)
		guest_refuse("this VM has no link, base", run->link_base);
	window = link_open(run, on_ring);
}

static void transfer(const void *piece, unsigned blocks)
{
	link_stream(window, piece, blocks);
	link_ring();
	while (window->taken != window->sent)
		irq_sleep();
}

static void net_round(uintptr_t piece)
{
	transfer((const void *)piece, NET_BLOCKS);
}

static void block_round(uintptr_t piece)
{
	transfer((const void *)piece, DISK_BLOCKS);
}

static void ring_round(uintptr_t piece)
{
	(void)piece;
	link_ring();
}

static const struct load load_net = { .beside = "load_net", .begin = begin, .round = net_round };
static const struct load load_block = {
	.beside = "load_block",
	.begin = begin,
	.round = block_round,
};
static const struct load load_ring = {
	.beside = "load_ring",
	.begin = begin,
	.round = ring_round,
};
LOAD(load_net);
LOAD(load_block);
LOAD(load_ring);
