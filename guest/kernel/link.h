/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench guest's use of a link. The window holds flows; a flow is a request and its answer.
 * Request and answer have 64 bytes, the size of a small frame, and a number. A VM writes the window
 * and then rings; the handler of the ring checks every flow. With kind=doorbell (abi/link.h) both
 * VMs share the window. With kind=virtio (abi/virtio_net.h) each VM has its own window, and frames
 * carry the changes.
 */
#pragma once

#include "abi/link.h"
#include "guest/kernel/irq.h"

#define LINK_FLOWS 20u
#define LINK_PAYLOAD 15u /* 32-bit words, besides the number */

struct link_message {
	volatile uint32_t number; /* written last; 0 before the first message */
	volatile uint32_t payload[LINK_PAYLOAD];
};

struct link_flow {
	struct link_message request, answer;
};

#define LINK_BLOCKS 32u
#define LINK_BLOCK 1024u /* bytes */

struct link_window {
	struct link_flow flow[LINK_FLOWS];
	volatile uint64_t heard; /* CNTPCT, read first in the handler of the VM that answers */
	/* Blocks sent, blocks received, and the sum of the first words of the received blocks. The
	 * first word of a block is its number. */
	volatile uint32_t sent, taken, sum;
	uint8_t block[LINK_BLOCKS][LINK_BLOCK] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct link_window) <= LINK_WINDOW_SIZE, "the window holds it");

/* Map the link of `run` and enable its interrupt. Return the window. With kind=virtio the other VM
 * then repeats its unanswered messages. */
struct link_window *link_open(const struct guest_run *run, irq_handler handler);

#define LINK_LOOP_INTID GIC_PRIVATE_COUNT /* any SPI serves */

/* Open a window without another VM: this VM is both ends, and rings by pending LINK_LOOP_INTID. */
struct link_window *link_loop(irq_handler handler);

/*
 * Copy received messages into the window. The handler of a ring calls this function first, after
 * its stamp.
 */
void link_receive(void);

/* Ring. The other VM sees every earlier write to the window when the VM handles the ring. */
void link_ring(void);

/* Return word i of the payload of a message. */
static inline uint32_t link_word(uint32_t number, unsigned i)
{
	return number * 0x9e3779b1u + i;
}

/* Write request `number` of a flow to `window` and announce it with the next ring. `window` may be
 * another window than link_open() returned. */
void link_request(struct link_window *window, unsigned flow, uint32_t number);

/* Send the next `blocks` blocks of the stream, at most LINK_BLOCKS, and announce them with the next
 * ring. The other VM must have received the blocks before. `block` has LINK_BLOCK bytes; the
 * block's number replaces its first word. */
void link_stream(struct link_window *window, const void *block, unsigned blocks);

/*
 * Receive the blocks of the stream. Return whether there were any: the other VM then waits for a
 * ring.
 */
bool link_take(struct link_window *window);

/* Answer every request that has no answer yet. Return the number of answers. */
unsigned link_answer(struct link_window *window);
