/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench guest's use of a link: in the window lie flows, each a request and its answer. A
 * request and an answer are 64 bytes, what a small frame has, with a number. A VM rings after it
 * has written; the handler of a ring looks at every flow. With kind=doorbell (abi/link.h) both VMs
 * have the window, with kind=virtio (abi/virtio_net.h) each has one of its own, and frames carry
 * what changes.
 */
#pragma once

#include "abi/link.h"
#include "guest/kernel/irq.h"

#define LINK_FLOWS 20u
#define LINK_PAYLOAD 15u /* words of 4 bytes, beside the number */

struct link_message {
	volatile uint32_t number; /* written last; 0: none yet */
	volatile uint32_t payload[LINK_PAYLOAD];
};

struct link_flow {
	struct link_message request, answer;
};

#define LINK_BLOCKS 32u
#define LINK_BLOCK 1024u /* bytes */

struct link_window {
	struct link_flow flow[LINK_FLOWS];
	volatile uint64_t heard; /* CNTPCT, the first thing in the handler of the VM that answers */
	/* A stream: blocks that were sent and taken, and the sum of the first words of the latter,
	 * which are the numbers of the blocks. */
	volatile uint32_t sent, taken, sum;
	uint8_t block[LINK_BLOCKS][LINK_BLOCK] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct link_window) <= LINK_WINDOW_SIZE, "the window holds it");

/* Map the link of `run`, and enable its interrupt. Return the window. With kind=virtio the other
 * VM then sends again what has no answer. */
struct link_window *link_open(const struct guest_run *run, irq_handler handler);

#define LINK_LOOP_INTID GIC_PRIVATE_COUNT /* any SPI */

/* A window without another VM: this VM is both, and rings by pending LINK_LOOP_INTID. */
struct link_window *link_loop(irq_handler handler);

/* First in the handler of a ring, after its stamp: what came is in the window. */
void link_receive(void);

/* Ring. What was written to the window before is there when the other VM handles the ring. */
void link_ring(void);

/* Word i of the payload of a message. */
static inline uint32_t link_word(uint32_t number, unsigned i)
{
	return number * 0x9e3779b1u + i;
}

/* The request `number` of a flow is in `window`, which may be one that no link_open() returned;
 * the next ring is for it, too. */
void link_request(struct link_window *window, unsigned flow, uint32_t number);

/* Send the next `blocks` of the stream, at most LINK_BLOCKS, after the last ones were taken; the
 * next ring is for them, too. `block` has LINK_BLOCK bytes; its number takes the first word. */
void link_stream(struct link_window *window, const void *block, unsigned blocks);

/* Take what came of the stream. Return whether anything did: the other VM waits for a ring. */
bool link_take(struct link_window *window);

/* Answer every request that has no answer yet. Return how many there were. */
unsigned link_answer(struct link_window *window);
