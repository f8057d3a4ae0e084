/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ping over a link of kind=virtio to a VM that answers: Linux, or load_ping. This VM answers, too.
 *   echo     just before this VM sends an echo request of 56 bytes -> the first instruction of the
 *            handler that finds its answer
 * Before the first sample this VM looks for the other VM by ARP and waits for its first answer, at
 * most 120 s of the counter, in which Linux boots. Afterwards a request without an answer for 1 s
 * is lost, and another request replaces it; 10 lost requests in a row refuse the step. Check
 * `answers`: identifier, sequence number and payload of each answer are those of its request; the
 * check counts `lost` requests, and `late` and `wrong` answers. `delay` is before the transmission.
 * Stamps are CNTPCT. The benchmark is skipped without such a link.
 * Proof: tests/qemu/test_ping.py.
 */
#include <string.h>

#include "guest/kernel/fail.h"
#include "guest/kernel/ping.h"
#include "guest/kernel/vtimer.h"
#include "guest/measure/bench.h"
#include "guest/measure/report.h"

#define PAYLOAD 56u /* bytes, as ping sends */
#define IDENTIFIER 0x6862u
#define FIND_S 120u
#define ASKS_A_S 100u /* ARP requests a second */
#define TRIES_A_S 10u /* echo requests a second, before the first answer */
#define LOST_IN_A_ROW 10u

static struct ping_host peer;
static uint8_t request[PING_ECHO_PAYLOAD + PAYLOAD];
static bool waits;                                    /* the answer to `request` is pending */
static uint16_t sequence;                             /* sequence number of `request` */
static uint64_t deadline, handler_ticks, answered_at; /* CNTPCT */
static uint32_t sent, answered, lost, wrong, late;

/* Return whether this answers an earlier request, which is no error. */
static bool is_late(const uint8_t *frame)
{
	int16_t older = (int16_t)(sequence - ping_u16(frame + PING_ECHO_SEQUENCE));

	return ping_u16(frame + PING_ECHO_ID) == IDENTIFIER &&
	       (older > 0 || (older == 0 && !waits));
}

static void heard_echo(const uint8_t *frame, uint32_t size)
{
	if (is_late(frame)) {
		late++;
	} else if (waits && size == sizeof(request) &&
		   memcmp(frame + PING_ECHO_ID, request + PING_ECHO_ID, size - PING_ECHO_ID) == 0) {
		answered_at = handler_ticks;
		waits = false;
		answered++;
	} else {
		wrong++;
	}
}

static void heard(enum ping_kind kind, const uint8_t *frame, uint32_t size)
{
	if (kind == PING_ECHO_ANSWER)
		heard_echo(frame, size);
	else
		memcpy(&peer, frame + PING_ARP_SENDER, sizeof(peer));
}

static void on_frames(uint64_t vector_ticks, uint32_t iar)
{
	handler_ticks = counter_read();
	(void)vector_ticks;
	(void)iar;
	ping_receive(heard);
}

/* Ignore a late interrupt of an earlier deadline. */
static void on_timer(uint64_t vector_ticks, uint32_t iar)
{
	(void)vector_ticks;
	(void)iar;
	if (counter_read() >= deadline)
		vtimer_quiet();
}

static void begin_wait(uint64_t ticks)
{
	deadline = counter_read() + ticks;
	vtimer_arm(deadline);
}

static bool has_peer(void)
{
	return peer.ip[0];
}

static bool has_answer(void)
{
	return !waits;
}

/* Sleep until condition() or the deadline. Return whether condition() holds. */
static bool wait(bool (*condition)(void))
{
	while (!condition() && counter_read() < deadline)
		irq_sleep();
	vtimer_quiet();
	return condition();
}

static void find_peer(uint64_t limit, uint32_t hz)
{
	for (uint8_t number = 1; counter_read() < limit; number = number % PING_HOSTS + 1) {
		const uint8_t ip[PING_IP_SIZE] = { 10, 0, 0, number };

		if (number == ping_host.ip[PING_IP_SIZE - 1])
			continue;
		begin_wait(hz / ASKS_A_S);
		ping_send(ping_ask(&ping_host, ip, ping_frame()));
		if (wait(has_peer))
			return;
	}
	guest_refuse("no VM of the link answers ARP, asked for s", FIND_S);
}

/* Send one request and take its window. Return false if no answer comes for `ticks`. */
static bool ping(reg_t delay, uint64_t ticks, uint64_t *from)
{
	sent++;
	sequence++;
	for (unsigned i = 0; i < PAYLOAD; i++)
		request[PING_ECHO_PAYLOAD + i] = (uint8_t)(sequence * 31 + i);
	ping_echo(&ping_host, &peer, IDENTIFIER, sequence, PAYLOAD, request);
	memcpy(ping_frame(), request, sizeof(request));
	waits = true;
	begin_wait(ticks);
	*from = counter_read();
	delay_or_none(delay);
	ping_send(sizeof(request));
	if (wait(has_answer))
		return true;
	waits = false;
	lost++;
	return false;
}

static void find_answer(uint64_t limit, uint32_t hz)
{
	uint64_t from;

	while (!ping(0, hz / TRIES_A_S, &from))
		if (counter_read() >= limit)
			guest_refuse("the VM answers ARP but no ping, asked for s", FIND_S);
	sent = answered = lost = late = 0;
}

static void take_samples(const struct bench_params *params, uint32_t hz, struct samples *samples)
{
	uint32_t in_a_row = 0;
	uint64_t from;

	while (samples->taken <= params->n) {
		state_prepare();
		if (ping(params->delay, hz, &from)) {
			samples_add(samples, from, answered_at);
			in_a_row = 0;
		} else if (++in_a_row == LOST_IN_A_ROW) {
			guest_refuse("requests without an answer, in a row", in_a_row);
		}
	}
}

static void net_ping_run(const struct guest_run *run)
{
	const struct bench_info info = { .variant = "echo", .window = WINDOW_CVAL, .batch = 1 };
	uint32_t hz = run->counter_hz;
	uint64_t limit = counter_read() + (uint64_t)FIND_S * hz;
	struct samples *samples = samples_begin();

	irq_set_handler(run->virt_timer_intid, on_timer);
	gic_enable(run->virt_timer_intid);
	ping_open(run, on_frames);
	find_peer(limit, hz);
	find_answer(limit, hz);
	take_samples(&run->bench.params, hz, samples);
	report_bench(&info, samples);

	struct member members[] = { { "sent", sent },   { "answered", answered },
				    { "lost", lost },   { "late", late },
				    { "wrong", wrong }, { "peer", peer.ip[PING_IP_SIZE - 1] } };

	report_check("answers", sent == answered + lost && wrong == 0, members, 6);
}

static const struct bench net_ping = {
	.name = "net_ping",
	.prepare = ping_refuses,
	.run = net_ping_run,
};
BENCH(net_ping);
