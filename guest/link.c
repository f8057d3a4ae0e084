/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/link.h"

#include "arch/barrier.h"
#include "arch/mmio.h"
#include "guest/mmu.h"

static uintptr_t doorbell;

struct link_window *link_open(const struct guest_run *run, irq_handler handler)
{
	uintptr_t base = (uintptr_t)run->link_base;

	doorbell = base + LINK_DOORBELL;
	mmu_map_device(doorbell, LINK_DOORBELL_SIZE);
	mmu_map_memory(base + LINK_WINDOW, LINK_WINDOW_SIZE);
	irq_set_handler(run->link_intid, handler);
	gic_enable(run->link_intid);
	return (struct link_window *)(base + LINK_WINDOW);
}

void link_ring(void)
{
	dsb_ishst();
	mmio_write32(doorbell, 1);
}

void link_write(struct link_message *message, uint32_t number)
{
	for (unsigned i = 0; i < LINK_PAYLOAD; i++)
		message->payload[i] = link_word(number, i);
	dsb_ishst();
	message->number = number;
}

/* The answer is the request's payload, as it was received. */
unsigned link_answer(struct link_window *window)
{
	unsigned answered = 0;

	for (unsigned i = 0; i < LINK_FLOWS; i++) {
		struct link_flow *flow = &window->flow[i];
		uint32_t number = flow->request.number;

		if (number == flow->answer.number)
			continue;
		dsb_ish();
		for (unsigned word = 0; word < LINK_PAYLOAD; word++)
			flow->answer.payload[word] = flow->request.payload[word];
		dsb_ishst();
		flow->answer.number = number;
		answered++;
	}
	return answered;
}
