/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One end of a link of kind virtio: a network device (abi/virtio_net.h) whose cable leads to
 * another VM's device.
 *
 * A sender's QueueNotify only pends a physical SPI, the other end's kick. In one exit, the core
 * that handles the kick copies one frame, or a part of one, into the receiver's buffers. A rest as
 * long as the copy follows, and no kick exits in a rest: the core's vCPUs have half of its time,
 * whatever the sender does. EL2 copies at the receiver's priority: while a more urgent vCPU has the
 * core, the frames wait and the kick is disabled.
 *
 * EL2 reads a guest's queues once and checks them: a chain that is too long or leaves the VM's RAM,
 * an empty frame or one longer than a frame may be, or an index that jumps, stops only that guest's
 * device (NEEDS_RESET). A frame waits in the sender's queue while the receiver has no buffer. A
 * frame is lost, and counted, if the other VM has no working device or the frame is longer than the
 * buffer.
 */
#pragma once

#include "abi/virtio_net.h"
#include "arch/types.h"
#include "hyp/base/lock.h"

struct vcpu;
struct vm;

#define VIRTIO_NET_CHAIN_MOST 16u /* descriptors of a frame, or of a buffer */

/* If a frame is not copied at once, an exit copies at most VIRTIO_NET_PART bytes of it in at most
 * VIRTIO_NET_PART_STEPS steps. A step copies from one descriptor of the frame to one descriptor of
 * the buffer. It begins the next descriptor of the frame, the buffer or both if the last one is
 * done. */
#define VIRTIO_NET_PART 512u
#define VIRTIO_NET_PART_STEPS 8u

struct virtio_queue {
	uint32_t size; /* number of descriptors; a power of 2 */
	bool ready;
	/* IPA of descriptors, available and used ring, as the guest wrote them */
	uint64_t address[3];
	const volatile struct virtio_descriptor *descriptors;
	const volatile struct virtio_available *available;
	volatile struct virtio_used *used;
	uint16_t next; /* number of chains made available */
	uint16_t used_index;
};

/* A place in a chain of descriptors, each of which EL2 reads once. */
struct virtio_chain {
	uint16_t head, next; /* descriptors: the first one, and the next if there is `more` */
	uint16_t count;      /* descriptors so far */
	bool more;
	uint32_t left; /* bytes of this descriptor's memory, from `ipa` on */
	ipa_t ipa;
};

/* A frame on its way from the peer, which is copied in parts. */
struct virtio_transfer {
	bool open;
	uint32_t moved; /* bytes */
	struct virtio_chain from, to;
};

struct virtio_net {
	struct vm *vm;
	struct virtio_net *peer;
	const struct vm *sender; /* VM of the peer */
	/* lock of both ends, held for at most a part of a frame, with interrupts masked. No exit
	 * waits for the lock: a kick rests, and a store is repeated. */
	struct lock *cable;
	unsigned kick; /* INTID of the physical SPI, which EL2 handles */
	/* INTID of the device's interrupt, also a physical SPI; 0: VIRT_VIRTIO_INTID */
	unsigned spi;
	ipa_t base;
	uint8_t mac[VIRTIO_NET_MAC_SIZE];

	uint32_t status, interrupts;
	bool works; /* by its status the device works: only then its queues are valid */
	uint32_t queue_select, device_select, driver_select;
	uint32_t driver_features[2];
	struct virtio_queue queue[VIRTIO_NET_QUEUES];
	struct virtio_transfer transfer;
	uint64_t rests_until; /* CNTPCT before which nothing moves */
	uint64_t took;        /* ticks that the last part took */

	/* Counts since the step's begin: received frames; lost frames of this end's sender. */
	uint32_t received, lost, broken;
};

/* Add the device to the VM, which has stage 2. */
void virtio_net_add(struct vm *vm, struct virtio_net *end);

/* Reset the device: it no longer reads or writes the VM's RAM. Return false, without effect, while
 * another core has the cable. */
bool virtio_net_reset(struct virtio_net *end);

/* Reset the device after the VM's last life, when other VMs may still use their ends. This waits
 * until the core that has the cable releases it. */
void virtio_net_stop(struct virtio_net *end);

/* Handle the kick, on a core of the VM: move a waiting frame, or a part of it. */
void virtio_net_kicked(struct virtio_net *end);
