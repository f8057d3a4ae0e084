/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request and answer over a link to another VM (load_echo), 64 bytes each way. Without a link this
 * VM also answers, over an interrupt to itself. A scenario's link has kind=doorbell or kind=virtio;
 * EL2 copies the frames of kind=virtio.
 *   ring     just before the ring -> the first instruction of the other VM's handler; one flow
 *   rr       just before the request is written -> the first instruction of the handler that finds
 *            its answer; one flow
 *   rr-20    rr with 20 flows at once: 20 requests, a ring each, before this VM sleeps
 * Check `answers`: each request has its own answer, and every word is right. `delay` is before the
 * ring. Stamps are CNTPCT, which all cores share; on two cores CNTPCT counts the instructions of
 * both.
 * Proof: tests/qemu/test_links.py.
 */
#include <string.h>

#include "arch/barrier.h"
#include "guest/kernel/link.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

static struct link_window *window;
static struct samples rings;
static struct samples *totals;
static bool loops, shares;
static uint64_t sent[LINK_FLOWS];
static uint32_t expected[LINK_FLOWS]; /* number of the pending answer; 0 if none is pending */
static unsigned outstanding;
static uint32_t limit; /* number of samples to take */
static uint32_t next_number;
static uint32_t answered, wrong; /* answers received; wrong words in them */
static reg_t delay;

static void ring(void)
{
	if (loops)
		gic_set_pending(LINK_LOOP_INTID);
	else
		link_ring();
}

static void check(const struct link_message *answer)
{
	for (unsigned i = 0; i < LINK_PAYLOAD; i++)
		wrong += answer->payload[i] != link_word(answer->number, i);
}

/* End the window of each flow that has its answer. */
static void take_answers(uint64_t now)
{
	for (unsigned i = 0; i < LINK_FLOWS; i++) {
		const struct link_message *answer = &window->flow[i].answer;

		if (expected[i] == 0 || answer->number != expected[i])
			continue;
		dsb_ish();
		check(answer);
		if (totals->taken < limit) /* the last round may have more answers than samples */
			samples_add(totals, sent[i], now);
		expected[i] = 0;
		answered++;
		outstanding--;
	}
}

static void on_ring(uint64_t vector_ticks, uint32_t iar)
{
	uint64_t now = counter_read();

	(void)vector_ticks;
	(void)iar;
	if (!loops) {
		link_receive();
		take_answers(now);
		return;
	}
	if (link_answer(window)) {
		window->heard = now;
		ring();
	} else {
		take_answers(now);
	}
}

/* Send the next request. Numbers begin at 1 and never repeat. */
static void send(unsigned flow)
{
	uint64_t start = counter_read();

	sent[flow] = start;
	expected[flow] = ++next_number;
	outstanding++;
	link_request(window, flow, next_number);
}

static void wait_for_answers(void)
{
	while (outstanding)
		irq_sleep();
}

static void round_trips(uint32_t n, unsigned flows)
{
	limit = n + 1;
	for (uint32_t i = 0; i <= n; i += flows) {
		uint64_t before = 0;

		state_prepare();
		if (shares) /* this core never sleeps: an emulator switches to the next core here */
			cpu_relax();
		for (unsigned flow = 0; flow < flows; flow++) {
			send(flow);
			before = counter_read();
			delay_or_none(delay);
			ring();
		}
		wait_for_answers();
		if (flows == 1)
			samples_add(&rings, before, window->heard);
	}
}

static void report(const char *variant, const struct samples *samples)
{
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_CVAL,
		.batch = 1,
	};

	report_bench(&info, samples);
}

static void begin(const struct guest_run *run)
{
	loops = !run->link_base;
	shares = run->config.sched != SCHED_NULL;
	outstanding = 0;
	next_number = answered = wrong = 0;
	delay = run->bench.params.delay;
	samples_reset(&rings);
	memset(expected, 0, sizeof(expected));
	window = loops ? link_loop(on_ring) : link_open(run, on_ring);
}

static void net_rr_run(const struct guest_run *run)
{
	uint32_t n = run->bench.params.n;

	begin(run);
	totals = samples_begin();
	round_trips(0, 1); /* wait for the other VM, which may start only now */
	samples_reset(&rings);
	totals = samples_begin();
	round_trips(n, 1);
	report("rr", totals);
	report("ring", &rings);
	totals = samples_begin();
	round_trips(n, LINK_FLOWS);
	report("rr-20", totals);

	struct member members[] = { { "sent", next_number },
				    { "answered", answered },
				    { "wrong", wrong } };

	report_check("answers", answered == next_number && wrong == 0, members, 3);
}

static const char *net_rr_prepare(const struct guest_run *run)
{
	return run->config.beside == BESIDE_ECHO && !run->link_base ? "needs a link to the load"
								    : NULL;
}

static const struct bench net_rr = {
	.name = "net_rr",
	.prepare = net_rr_prepare,
	.run = net_rr_run,
};
BENCH(net_rr);
