/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/ping.h"

#include "guest/kernel/mmu.h"
#include "guest/kernel/virtio_net.h"
#include "lib/bits.h"

struct frame {
	struct virtio_net_header header; /* always 0 */
	uint8_t bytes[PING_FRAME_MOST];
} __attribute__((aligned(8))); /* the alignment makes copies of all buffers equally long */

/* The struct lies in free memory, so that a guest without such a link need not clear it. The guest
 * writes one frame while all others are in transit. */
static struct memory {
	struct frame received[VIRTIO_QUEUE_MOST], sent[VIRTIO_QUEUE_MOST + 1];
} * memory;
static unsigned next; /* index into memory->sent */

struct ping_host ping_host;

const char *ping_refuses(const struct guest_run *run)
{
	return run->link_base && run->link_kind == PLAN_LINK_VIRTIO
		       ? NULL
		       : "needs a link of kind=virtio to a VM that answers ping";
}

void ping_open(const struct guest_run *run, irq_handler handler)
{
	uintptr_t base = (uintptr_t)run->link_base;

	memory = (struct memory *)(uintptr_t)mmu_free_start();
	mmu_map_memory((uintptr_t)memory, align_up(sizeof(*memory), PAGE_SIZE));
	for (unsigned i = 0; i < ARRAY_SIZE(memory->sent); i++)
		memory->sent[i].header = (struct virtio_net_header){ 0 };
	irq_set_handler(run->link_intid, handler);
	gic_enable(run->link_intid);
	mmu_map_device(base, PAGE_SIZE);
	virtio_net_open(base, memory->received, sizeof(memory->received[0]));
	virtio_net_mac(ping_host.mac);
	ping_host.ip[0] = 10;
	ping_host.ip[PING_IP_SIZE - 1] = ping_host.mac[PING_MAC_SIZE - 1];
}

uint8_t *ping_frame(void)
{
	return memory->sent[next].bytes;
}

/* A frame for a full queue is lost: the other VM does not receive. */
void ping_send(uint32_t size)
{
	struct frame *frame = &memory->sent[next];

	if (!virtio_net_send(frame, (uint32_t)sizeof(frame->header) + size))
		return;
	next = (next + 1) % ARRAY_SIZE(memory->sent);
	virtio_net_notify();
}

static void take(const struct frame *frame, uint32_t size,
		 void (*heard)(enum ping_kind kind, const uint8_t *frame, uint32_t size))
{
	uint32_t answer;
	enum ping_kind kind = ping_read(&ping_host, frame->bytes, size, ping_frame(), &answer);

	if (kind == PING_REQUEST)
		ping_send(answer);
	else if (kind != PING_OTHER && heard)
		heard(kind, frame->bytes, size);
}

void ping_receive(void (*heard)(enum ping_kind kind, const uint8_t *frame, uint32_t size))
{
	const struct frame *frame;

	virtio_net_acknowledge();
	while ((frame = virtio_net_received()) != NULL) {
		uint32_t size = virtio_net_received_size();

		if (size > sizeof(frame->header) && size - sizeof(frame->header) <= PING_FRAME_MOST)
			take(frame, size - (uint32_t)sizeof(frame->header), heard);
		virtio_net_done();
	}
}
