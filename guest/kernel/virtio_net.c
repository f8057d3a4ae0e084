/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/virtio_net.h"

#include "arch/barrier.h"
#include "arch/mmio.h"
#include "guest/kernel/fail.h"

/* The alignment keeps each queue within one page: adjacent pages of a coloured VM are not adjacent
 * in memory. */
struct queue {
	struct virtio_descriptor descriptors[VIRTIO_QUEUE_MOST] __attribute__((aligned(16)));
	volatile struct virtio_available available;
	volatile struct virtio_used used;
	uint16_t taken; /* index of the used ring */
} __attribute__((aligned(2048)));

static struct queue queues[VIRTIO_NET_QUEUES];
static uintptr_t registers;
static uint8_t *buffers;
static uint32_t buffer_size;

static void write(uint32_t offset, uint32_t value)
{
	mmio_write32(registers + offset, value);
}

static void make_available(enum virtio_net_queue which, uint16_t head)
{
	struct queue *queue = &queues[which];

	queue->available.ring[queue->available.index % VIRTIO_QUEUE_MOST] = head;
	dsb_ish();
	queue->available.index++;
}

static void set_address(uint32_t offset, const volatile void *at)
{
	write(offset, (uint32_t)(uintptr_t)at);
	write(offset + 4, (uint32_t)((uint64_t)(uintptr_t)at >> 32));
}

static void start_queue(enum virtio_net_queue which)
{
	struct queue *queue = &queues[which];

	queue->available.index = queue->used.index = queue->taken = 0;
	write(VIRTIO_QUEUE_SEL, which);
	write(VIRTIO_QUEUE_NUM, VIRTIO_QUEUE_MOST);
	set_address(VIRTIO_QUEUE_DESC, queue->descriptors);
	set_address(VIRTIO_QUEUE_DRIVER, &queue->available);
	set_address(VIRTIO_QUEUE_DEVICE, &queue->used);
	write(VIRTIO_QUEUE_READY, 1);
}

static void negotiate(void)
{
	write(VIRTIO_STATUS, 0);
	write(VIRTIO_STATUS, VIRTIO_ACKNOWLEDGE | VIRTIO_DRIVER);
	write(VIRTIO_DRIVER_FEATURES_SEL, 1);
	write(VIRTIO_DRIVER_FEATURES, VIRTIO_F_VERSION_1);
	write(VIRTIO_STATUS, VIRTIO_FEATURES_OK);
	if (!(mmio_read32(registers + VIRTIO_STATUS) & VIRTIO_FEATURES_OK))
		guest_refuse("the network device refuses VERSION_1, status",
			     mmio_read32(registers + VIRTIO_STATUS));
}

void virtio_net_open(uintptr_t base, void *memory, uint32_t size)
{
	registers = base;
	buffers = memory;
	buffer_size = size;
	if (mmio_read32(base + VIRTIO_MAGIC_VALUE) != VIRTIO_MAGIC)
		guest_refuse("no virtio device, magic", mmio_read32(base + VIRTIO_MAGIC_VALUE));
	negotiate();
	start_queue(VIRTIO_NET_RX);
	start_queue(VIRTIO_NET_TX);
	queues[VIRTIO_NET_TX].available.flags = VIRTIO_NO_INTERRUPT;
	for (uint16_t i = 0; i < VIRTIO_QUEUE_MOST; i++) {
		queues[VIRTIO_NET_RX].descriptors[i] = (struct virtio_descriptor){
			.address = (uintptr_t)buffers + i * size,
			.length = size,
			.flags = VIRTIO_DESC_WRITE,
		};
		make_available(VIRTIO_NET_RX, i);
	}
	dsb_ish();
	write(VIRTIO_STATUS, VIRTIO_DRIVER_OK);
}

bool virtio_net_send(const void *frame, uint32_t size)
{
	struct queue *queue = &queues[VIRTIO_NET_TX];
	uint16_t index = queue->available.index;

	if ((uint16_t)(index - queue->used.index) == VIRTIO_QUEUE_MOST)
		return false;
	queue->descriptors[index % VIRTIO_QUEUE_MOST] = (struct virtio_descriptor){
		.address = (uintptr_t)frame,
		.length = size,
	};
	make_available(VIRTIO_NET_TX, index % VIRTIO_QUEUE_MOST);
	return true;
}

void virtio_net_notify(void)
{
	dsb_ish();
	write(VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_TX);
}

/* Acknowledge before reading the queue, so that a later frame interrupts again. */
void virtio_net_acknowledge(void)
{
	write(VIRTIO_INTERRUPT_ACK, mmio_read32(registers + VIRTIO_INTERRUPT_STATUS));
}

const void *virtio_net_received(void)
{
	const struct queue *queue = &queues[VIRTIO_NET_RX];

	if (queue->used.index == queue->taken)
		return NULL;
	dsb_ish();
	return buffers + queue->used.ring[queue->taken % VIRTIO_QUEUE_MOST].head * buffer_size;
}

uint32_t virtio_net_received_size(void)
{
	const struct queue *queue = &queues[VIRTIO_NET_RX];

	return queue->used.ring[queue->taken % VIRTIO_QUEUE_MOST].length;
}

void virtio_net_mac(uint8_t mac[VIRTIO_NET_MAC_SIZE])
{
	for (unsigned i = 0; i < VIRTIO_NET_MAC_SIZE; i++)
		mac[i] = (uint8_t)(mmio_read32(registers + VIRTIO_CONFIG + (i & ~3u)) >> i % 4 * 8);
}

/* Return a buffer. The device looks for buffers when a frame arrives, so it needs a notification
 * only if it may have found no buffer: when it has no other buffer now. */
void virtio_net_done(void)
{
	struct queue *queue = &queues[VIRTIO_NET_RX];

	make_available(VIRTIO_NET_RX,
		       (uint16_t)queue->used.ring[queue->taken % VIRTIO_QUEUE_MOST].head);
	queue->taken++;
	dsb_ish();
	if ((uint16_t)(queue->available.index - queue->used.index) <= 1)
		write(VIRTIO_QUEUE_NOTIFY, VIRTIO_NET_RX);
}
