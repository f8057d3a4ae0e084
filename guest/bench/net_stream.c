/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of blocks of 1024 bytes to another VM over a link (load_echo). Without a link the stream
 * goes to this VM, by an interrupt to itself. The sender copies a block to the link, and the
 * receiver copies it to its own memory; with kind=virtio EL2 also copies it in between.
 *   batch-1, batch-8, batch-32
 *            just before the first of so many blocks is copied -> the handler of the one ring
 *            that reports them all received. `bytes_per_million`: bytes of blocks in 10^6
 *            ticks, over all samples
 * Check `blocks`: each block arrived once and in its place. `delay` is before the ring.
 * Proof: tests/qemu/test_links.py.
 */
#include "guest/kernel/link.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define MILLION 1000000u

static struct link_window *window;
static bool loops;
static volatile uint64_t done; /* CNTPCT in the handler */
static reg_t delay;

static void on_ring(uint64_t vector_ticks, uint32_t iar)
{
	uint64_t now = counter_read();

	(void)vector_ticks;
	(void)iar;
	if (!loops)
		link_receive();
	if (loops && link_take(window))
		gic_set_pending(LINK_LOOP_INTID);
	else if (window->taken == window->sent)
		done = now;
}

static uint64_t stream(const void *block, unsigned blocks)
{
	uint64_t start;

	done = 0;
	state_prepare();
	start = counter_read();
	link_stream(window, block, blocks);
	delay_or_none(delay);
	if (loops)
		gic_set_pending(LINK_LOOP_INTID);
	else
		link_ring();
	while (!done)
		irq_sleep();
	return start;
}

/* Return the number of blocks sent. */
static uint32_t run_batch(const char *variant, uint32_t n, unsigned blocks)
{
	static uint8_t block[LINK_BLOCK];
	struct samples *samples = samples_begin();
	uint64_t ticks = 0;

	for (uint32_t i = 0; i <= n; i++) {
		uint64_t start = stream(block, blocks);

		samples_add(samples, start, done);
		ticks += done - start;
	}

	struct member members[] = {
		{ "bytes", blocks * LINK_BLOCK },
		{ "bytes_per_million",
		  (int64_t)((uint64_t)(n + 1) * blocks * LINK_BLOCK * MILLION / ticks) },
	};
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_CVAL,
		.batch = 1,
		.members = members,
		.member_count = 2,
	};

	report_bench(&info, samples);
	return (n + 1) * blocks;
}

static void open(const struct guest_run *run)
{
	loops = !run->link_base;
	delay = run->bench.params.delay;
	window = loops ? link_loop(on_ring) : link_open(run, on_ring);
}

static void net_stream_run(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n, sent;

	open(run);
	link_request(window, 0, 1); /* the answer shows that the other VM has started */
	if (!loops)
		link_ring();
	while (!loops && window->flow[0].answer.number != 1)
		irq_sleep();
	sent = run_batch("batch-1", n, 1);
	sent += run_batch("batch-8", n, 8);
	sent += run_batch("batch-32", n, 32);

	/* 0 + 1 + ... + (sent - 1), modulo 2^32 */
	uint32_t sum = (uint32_t)((uint64_t)sent * (sent - 1) / 2);
	struct member members[] = { { "sent", sent },
				    { "taken", window->taken },
				    { "sum", window->sum } };

	report_check("blocks", window->taken == sent && window->sum == sum, members, 3);
}

static const char *net_stream_prepare(const struct guest_run *run)
{
	return run->config.beside == BESIDE_ECHO && !run->link_base ? "needs a link to the load"
								    : NULL;
}

static const struct bench net_stream = {
	.name = "net_stream",
	.prepare = net_stream_prepare,
	.run = net_stream_run,
};
BENCH(net_stream);
