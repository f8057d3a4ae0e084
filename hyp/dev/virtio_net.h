/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link of kind virtio: a network device (abi/virtio_net.h) whose cable leads to
 * another VM's.
 *
 * A sender's QueueNotify only pends a physical SPI, the other end's kick. On the core that has it,
 * EL2 copies the frames, in pieces of VIRTIO_NET_AT_ONCE, into the receiver's buffers. Each
 * piece is followed by a rest as long as the piece, in which no kick exits: the vCPUs of the core
 * have half of its time, whatever the sender does. EL2 copies at the receiver's priority: while a
 * more urgent vCPU has the core, the frames wait and the kick is disabled.
 *
 * What a guest writes to its queues is read once and checked: a chain that is too long or leaves
 * the VM's RAM, a frame without a byte or longer than a frame, or an index that jumps, stops that
 * guest's device (NEEDS_RESET) and nothing else. A frame waits in the sender's queue while the
 * receiver has no buffer; it is lost, and counted, while the other VM has no working device, or
 * where it is longer than the buffer.
 */
#pragma once

#include "abi/virtio_net.h"
#include "arch/types.h"
#include "hyp/base/lock.h"

struct vcpu;
struct vm;

/* So that no exit is long: frames that move in one; descriptors of a frame. */
#define VIRTIO_NET_AT_ONCE 2u
#define VIRTIO_NET_CHAIN_MOST 16u

struct virtio_queue {
	uint32_t size; /* descriptors; a power of 2 */
	bool ready;
	uint64_t address[3]; /* IPA of descriptors, available and used ring, as the guest wrote */
	const volatile struct virtio_descriptor *descriptors;
	const volatile struct virtio_available *available;
	volatile struct virtio_used *used;
	uint16_t next; /* of the chains that were made available */
	uint16_t used_index;
};

/* Of both ends. Held for a piece at most, with interrupts masked. */
struct virtio_cable {
	struct lock lock;
	union {
		struct virtio_net_header header;
		uint8_t frame[sizeof(struct virtio_net_header) + VIRTIO_NET_FRAME_MOST]
			__attribute__((aligned(8)));
	};
};

struct virtio_net {
	struct vm *vm;
	struct virtio_net *peer;
	const struct vm *sender; /* the peer's VM */
	struct virtio_cable *cable;
	unsigned kick; /* INTID of the physical SPI, which EL2 handles */
	unsigned spi;  /* of the device's interrupt, a physical SPI, too; 0: VIRT_VIRTIO_INTID */
	ipa_t base;
	uint8_t mac[VIRTIO_NET_MAC_SIZE];

	uint32_t status, interrupts;
	bool works; /* as the status has it: only then are there queues to look at */
	uint32_t queue_select, device_select, driver_select;
	uint32_t driver_features[2];
	struct virtio_queue queue[VIRTIO_NET_QUEUES];
	uint64_t rests_until; /* CNTPCT: no frame moves before */

	/* Since the step's begin; frames of this end's sender that were lost. */
	uint32_t received, lost, broken;
};

/* Adds the device to the VM, which has stage 2. */
void virtio_net_add(struct vm *vm, struct virtio_net *end);

/* As at reset: nothing is read of the VM's RAM, or written to it, afterwards. */
void virtio_net_reset(struct virtio_net *end);

/* The kick came: moves a piece of what is there. On a core of the VM. */
void virtio_net_kicked(struct virtio_net *end);
