/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/link.h"

#include <string.h>

#include "abi/plan.h"
#include "arch/barrier.h"
#include "arch/mmio.h"
#include "guest/mmu.h"
#include "guest/virtio_net.h"

#define ETHERTYPE 0xb588u /* 0x88b5, for local experiments (IEEE 802), as it is sent */

enum message_kind { MESSAGE_REQUEST, MESSAGE_ANSWER, MESSAGE_BEGIN, MESSAGE_KINDS };

/* Of kind=virtio. */
struct frame {
	struct virtio_net_header header;
	uint8_t to[VIRTIO_NET_MAC_SIZE], from[VIRTIO_NET_MAC_SIZE];
	uint16_t type;
	uint8_t kind, flow;
	struct link_message message;
	uint64_t heard; /* link_window.heard, of an answer */
};

_Static_assert(offsetof(struct frame, message) == 28, "as it is sent");

static uintptr_t doorbell;      /* 0: kind=virtio, or no link */
static struct link_window *net; /* the window of kind=virtio; NULL: no such link */

/* --- frames --- */

static __attribute__((noinline)) void send(enum message_kind kind, unsigned flow,
					   const struct link_message *message)
{
	static struct frame frames[MESSAGE_KINDS][LINK_FLOWS];
	struct frame *frame = &frames[kind][flow];

	*frame = (struct frame){
		.to = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.type = ETHERTYPE,
		.kind = (uint8_t)kind,
		.flow = (uint8_t)flow,
		.heard = net->heard,
	};
	if (message)
		memcpy(&frame->message, (const void *)message, sizeof(*message));
	virtio_net_send(frame, sizeof(*frame)); /* full: the other VM does not take frames */
}

/* The other VM began: what was on the way to it may be lost. */
static void send_again(void)
{
	for (unsigned i = 0; i < LINK_FLOWS; i++)
		if (net->flow[i].request.number != net->flow[i].answer.number)
			send(MESSAGE_REQUEST, i, &net->flow[i].request);
	link_ring();
}

static void take(const struct frame *frame)
{
	if (frame->kind == MESSAGE_BEGIN) {
		send_again();
	} else if (frame->flow < LINK_FLOWS && frame->kind == MESSAGE_REQUEST) {
		memcpy((void *)&net->flow[frame->flow].request, (const void *)&frame->message,
		       sizeof(frame->message));
	} else if (frame->flow < LINK_FLOWS) {
		memcpy((void *)&net->flow[frame->flow].answer, (const void *)&frame->message,
		       sizeof(frame->message));
		net->heard = frame->heard;
	}
}

void link_receive(void)
{
	const struct frame *frame;

	if (!net)
		return;
	virtio_net_acknowledge();
	while ((frame = virtio_net_received()) != NULL) {
		take(frame);
		virtio_net_done();
	}
}

static struct link_window *open_net(uintptr_t base)
{
	static struct link_window window;
	static struct frame received[VIRTIO_QUEUE_MOST];

	net = &window;
	mmu_map_device(base, LINK_DOORBELL_SIZE);
	virtio_net_open(base, received, sizeof(received[0]));
	send(MESSAGE_BEGIN, 0, NULL);
	link_ring();
	return net;
}

/* --- either kind --- */

static struct link_window *open_doorbell(uintptr_t base)
{
	doorbell = base + LINK_DOORBELL;
	mmu_map_device(doorbell, LINK_DOORBELL_SIZE);
	mmu_map_memory(base + LINK_WINDOW, LINK_WINDOW_SIZE);
	return (struct link_window *)(base + LINK_WINDOW);
}

struct link_window *link_open(const struct guest_run *run, irq_handler handler)
{
	uintptr_t base = (uintptr_t)run->link_base;

	irq_set_handler(run->link_intid, handler);
	gic_enable(run->link_intid);
	return run->link_kind == PLAN_LINK_VIRTIO ? open_net(base) : open_doorbell(base);
}

void link_ring(void)
{
	if (!doorbell) {
		virtio_net_notify();
		return;
	}
	dsb_ishst();
	mmio_write32(doorbell, 1);
}

static __attribute__((noinline)) void write_message(struct link_message *message, uint32_t number)
{
	for (unsigned i = 0; i < LINK_PAYLOAD; i++)
		message->payload[i] = link_word(number, i);
	dsb_ishst();
	message->number = number;
}

void link_request(struct link_window *window, unsigned flow, uint32_t number)
{
	write_message(&window->flow[flow].request, number);
	if (net)
		send(MESSAGE_REQUEST, flow, &window->flow[flow].request);
}

/* The answer is the request's payload, as it was received. */
static __attribute__((noinline)) void answer(struct link_flow *flow, uint32_t number)
{
	dsb_ish();
	for (unsigned word = 0; word < LINK_PAYLOAD; word++)
		flow->answer.payload[word] = flow->request.payload[word];
	dsb_ishst();
	flow->answer.number = number;
	if (net)
		send(MESSAGE_ANSWER, (unsigned)(flow - net->flow), &flow->answer);
}

unsigned link_answer(struct link_window *window)
{
	unsigned answered = 0;

	for (struct link_flow *flow = window->flow; flow < &window->flow[LINK_FLOWS]; flow++) {
		uint32_t number = flow->request.number;

		if (number != flow->answer.number) {
			answer(flow, number);
			answered++;
		}
	}
	return answered;
}
