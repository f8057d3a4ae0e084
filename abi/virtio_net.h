/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A network device with one pair of queues, on the memory-mapped transport, as far as EL2's device
 * and the bench guest's driver need it: Virtual I/O Device (VIRTIO) 1.2, 2.7 split virtqueues, 4.2
 * MMIO, 5.1 network device.
 */
#pragma once

#include <stdint.h>

/* Registers, 4.2.2. */
#define VIRTIO_MAGIC_VALUE 0x000u
#define VIRTIO_VERSION 0x004u
#define VIRTIO_DEVICE_ID 0x008u
#define VIRTIO_VENDOR_ID 0x00cu
#define VIRTIO_DEVICE_FEATURES 0x010u
#define VIRTIO_DEVICE_FEATURES_SEL 0x014u
#define VIRTIO_DRIVER_FEATURES 0x020u
#define VIRTIO_DRIVER_FEATURES_SEL 0x024u
#define VIRTIO_QUEUE_SEL 0x030u
#define VIRTIO_QUEUE_NUM_MAX 0x034u
#define VIRTIO_QUEUE_NUM 0x038u
#define VIRTIO_QUEUE_READY 0x044u
#define VIRTIO_QUEUE_NOTIFY 0x050u
#define VIRTIO_INTERRUPT_STATUS 0x060u
#define VIRTIO_INTERRUPT_ACK 0x064u
#define VIRTIO_STATUS 0x070u
#define VIRTIO_QUEUE_DESC 0x080u   /* low half; the high half is at + 4 */
#define VIRTIO_QUEUE_DRIVER 0x090u /* the available ring */
#define VIRTIO_QUEUE_DEVICE 0x0a0u /* the used ring */
#define VIRTIO_CONFIG_GENERATION 0x0fcu
#define VIRTIO_CONFIG 0x100u
#define VIRTIO_SIZE 0x200u

#define VIRTIO_MAGIC 0x74726976u
#define VIRTIO_MODERN 2u /* version of the interface that is not the legacy one */
#define VIRTIO_DEVICE_NET 1u

/* Bits of the device status, 2.1. */
#define VIRTIO_ACKNOWLEDGE 1u
#define VIRTIO_DRIVER 2u
#define VIRTIO_DRIVER_OK 4u
#define VIRTIO_FEATURES_OK 8u
#define VIRTIO_NEEDS_RESET 64u

/* Bits of InterruptStatus. */
#define VIRTIO_INT_USED 1u
#define VIRTIO_INT_CONFIG 2u

/* Feature bits, in 32-bit words. */
#define VIRTIO_NET_F_MAC (1u << 5) /* word 0 */
#define VIRTIO_F_VERSION_1 1u      /* word 1: bit 32 */

#define VIRTIO_NET_MAC_SIZE 6u

/* The queues, 5.1.2. */
enum virtio_net_queue { VIRTIO_NET_RX, VIRTIO_NET_TX, VIRTIO_NET_QUEUES };

#define VIRTIO_QUEUE_MOST 64u /* descriptors of a queue: QueueNumMax */

struct virtio_descriptor {
	uint64_t address; /* IPA */
	uint32_t length;  /* bytes */
	uint16_t flags;
	uint16_t next;
};

#define VIRTIO_DESC_NEXT 1u
#define VIRTIO_DESC_WRITE 2u /* the device writes the buffer */
#define VIRTIO_DESC_INDIRECT 4u

struct virtio_available {
	uint16_t flags;
	/* number of all entries made available; the next entry is at index % size */
	uint16_t index;
	uint16_t ring[VIRTIO_QUEUE_MOST]; /* the first descriptor of each chain */
};

#define VIRTIO_NO_INTERRUPT 1u

struct virtio_used_entry {
	uint32_t head;
	uint32_t length; /* bytes that the device wrote */
};

struct virtio_used {
	uint16_t flags;
	uint16_t index;
	struct virtio_used_entry ring[VIRTIO_QUEUE_MOST];
};

/*
 * The header of each frame, 5.1.6. The device offers no offload: all members but the number of
 * buffers are 0.
 */
struct virtio_net_header {
	uint8_t flags, gso_type;
	uint16_t header_length, gso_size, checksum_start, checksum_offset;
	uint16_t buffers; /* number of buffers of a received frame: 1 */
};

#define VIRTIO_NET_FRAME_MOST 1514u /* bytes: 1500, and the Ethernet header */
