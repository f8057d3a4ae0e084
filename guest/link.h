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
#include "guest/irq.h"

#define LINK_FLOWS 20u
#define LINK_PAYLOAD 15u /* words of 4 bytes, beside the number */

struct link_message {
	volatile uint32_t number; /* written last; 0: none yet */
	volatile uint32_t payload[LINK_PAYLOAD];
};

struct link_flow {
	struct link_message request, answer;
};

struct link_window {
	struct link_flow flow[LINK_FLOWS];
	volatile uint64_t heard; /* CNTPCT, the first thing in the handler of the VM that answers */
};

_Static_assert(sizeof(struct link_window) <= LINK_WINDOW_SIZE, "the window holds it");

/* Map the link of `run`, and enable its interrupt. Return the window. With kind=virtio the other VM
 * then sends again what has no answer. */
struct link_window *link_open(const struct guest_run *run, irq_handler handler);

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

/* Answer every request that has no answer yet. Return how many there were. */
unsigned link_answer(struct link_window *window);
