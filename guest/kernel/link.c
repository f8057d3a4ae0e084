/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/link.h"

#include <string.h>

#include "abi/plan.h"
#include "arch/barrier.h"
#include "arch/mmio.h"
#include "guest/kernel/mmu.h"
#include "guest/kernel/virtio_net.h"
#include "lib/bits.h"

#define ETHERTYPE 0xb588u /* 0x88b5, for local experiments (IEEE 802), in network byte order */

enum message_kind {
	MESSAGE_REQUEST,
	MESSAGE_ANSWER,
	MESSAGE_BEGIN,
	MESSAGE_TAKEN, /* acknowledges every block of the stream in the other VM's window */
	MESSAGE_KINDS,
	MESSAGE_BLOCK = MESSAGE_KINDS,
};

/* A frame of kind=virtio. */
struct frame {
	struct virtio_net_header header;
	uint8_t to[VIRTIO_NET_MAC_SIZE], from[VIRTIO_NET_MAC_SIZE];
	uint16_t type;
	uint8_t kind, flow;
	struct link_message message;
	uint64_t heard; /* link_window.heard of an answer */
	uint32_t taken, sum;
};

/* A frame with one block of the stream; `flow` is the block's index in the window. */
struct block_frame {
	struct virtio_net_header header;
	uint8_t to[VIRTIO_NET_MAC_SIZE], from[VIRTIO_NET_MAC_SIZE];
	uint16_t type;
	uint8_t kind, flow;
	uint32_t sent; /* link_window.sent in the last frame of a ring; 0 in the others */
	uint8_t block[LINK_BLOCK];
};

_Static_assert(offsetof(struct frame, message) == 28, "as it is sent");

/* The struct lies in free memory, so that a guest without a link need not clear it. */
struct memory {
	struct link_window window;
	struct frame frame[MESSAGE_KINDS][LINK_FLOWS];
	struct block_frame block[LINK_BLOCKS], received[VIRTIO_QUEUE_MOST];
	uint8_t own[LINK_BLOCKS][LINK_BLOCK]; /* copies of received blocks */
};

static struct memory *memory;
static uintptr_t doorbell;      /* 0 with kind=virtio and without a link */
static struct link_window *net; /* the window of kind=virtio; NULL without such a link */

static void take_memory(void)
{
	memory = (struct memory *)(uintptr_t)mmu_free_start();
	mmu_map_memory((uintptr_t)memory, align_up(sizeof(*memory), PAGE_SIZE));
	memset((void *)memory, 0, sizeof(*memory));
}

/* --- frames --- */

static __attribute__((noinline)) void send(enum message_kind kind, unsigned flow,
					   const struct link_message *message)
{
	struct frame *frame = &memory->frame[kind][flow];

	*frame = (struct frame){
		.to = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		.type = ETHERTYPE,
		.kind = (uint8_t)kind,
		.flow = (uint8_t)flow,
		.heard = net->heard,
		.taken = net->taken,
		.sum = net->sum,
	};
	if (message)
		memcpy(&frame->message, (const void *)message, sizeof(*message));
	/* if the queue is full, the frame is lost: the other VM receives none */
	virtio_net_send(frame, sizeof(*frame));
}

/* Repeat unanswered messages: the other VM has started, and earlier messages may be lost. */
static void send_again(void)
{
	for (unsigned i = 0; i < LINK_FLOWS; i++)
		if (net->flow[i].request.number != net->flow[i].answer.number)
			send(MESSAGE_REQUEST, i, &net->flow[i].request);
	link_ring();
}

static void take_block(const struct block_frame *frame)
{
	memcpy(net->block[frame->flow], frame->block, LINK_BLOCK);
	if (frame->sent)
		net->sent = frame->sent;
}

static void take(const struct frame *frame)
{
	if (frame->kind == MESSAGE_BEGIN) {
		send_again();
	} else if (frame->flow < LINK_FLOWS && frame->kind == MESSAGE_REQUEST) {
		memcpy((void *)&net->flow[frame->flow].request, (const void *)&frame->message,
		       sizeof(frame->message));
	} else if (frame->kind == MESSAGE_TAKEN) {
		net->taken = frame->taken;
		net->sum = frame->sum;
	} else if (frame->kind == MESSAGE_BLOCK && frame->flow < LINK_BLOCKS) {
		take_block((const void *)frame);
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
	net = &memory->window;
	mmu_map_device(base, LINK_DOORBELL_SIZE);
	virtio_net_open(base, memory->received, sizeof(memory->received[0]));
	send(MESSAGE_BEGIN, 0, NULL);
	link_ring();
	return net;
}

static void send_block(unsigned i, const void *block, uint32_t sent)
{
	struct block_frame *frame = &memory->block[i];

	memset(frame, 0, offsetof(struct block_frame, block));
	memset(frame->to, 0xff, sizeof(frame->to));
	frame->type = ETHERTYPE;
	frame->kind = MESSAGE_BLOCK;
	frame->flow = (uint8_t)i;
	frame->sent = sent;
	memcpy(frame->block, block, LINK_BLOCK);
	virtio_net_send(frame, sizeof(*frame));
}

/* --- both kinds of links --- */

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

	take_memory();
	irq_set_handler(run->link_intid, handler);
	gic_enable(run->link_intid);
	return run->link_kind == PLAN_LINK_VIRTIO ? open_net(base) : open_doorbell(base);
}

struct link_window *link_loop(irq_handler handler)
{
	take_memory();
	irq_set_handler(LINK_LOOP_INTID, handler);
	gic_enable(LINK_LOOP_INTID);
	return &memory->window;
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

/* An answer repeats the payload of the received request. */
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

void link_stream(struct link_window *window, const void *block, unsigned blocks)
{
	uint32_t sent = window->sent + blocks;
	uint8_t copy[LINK_BLOCK] __attribute__((aligned(8)));

	memcpy(copy, block, LINK_BLOCK);
	for (unsigned i = 0; i < blocks; i++) {
		uint32_t number = window->sent + i;

		memcpy(copy, &number, sizeof(number));
		if (net)
			send_block(i, copy, i + 1 == blocks ? sent : 0);
		else
			memcpy(window->block[i], copy, LINK_BLOCK);
	}
	dsb_ishst();
	window->sent = sent;
}

/* Copy each block out of the window, as a receiver copies into its own memory. */
bool link_take(struct link_window *window)
{
	uint32_t sent = window->sent, blocks = sent - window->taken, sum = window->sum;

	if (blocks == 0 || blocks > LINK_BLOCKS)
		return false;
	dsb_ish();
	for (unsigned i = 0; i < blocks; i++) {
		uint32_t number;

		memcpy(memory->own[i], window->block[i], LINK_BLOCK);
		memcpy(&number, memory->own[i], sizeof(number));
		sum += number;
	}
	window->sum = sum;
	dsb_ishst();
	window->taken = sent;
	if (net)
		send(MESSAGE_TAKEN, 0, NULL);
	return true;
}
