/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of a network device (abi/virtio_net.h), with its buffers. One device, one core. */
#pragma once

#include "abi/virtio_net.h"
#include "arch/types.h"

/* Resets the device at `base`, which has the page to itself, and starts it. Each received frame is
 * at most `size` bytes, with its header; VIRTIO_QUEUE_MOST of them are at `buffers`. */
void virtio_net_open(uintptr_t base, void *buffers, uint32_t size);

/* Queue a frame, `size` bytes with its header. It stays as it is until the device has it. False:
 * the queue is full. */
bool virtio_net_send(const void *frame, uint32_t size);

/* Have the device look at what is queued. */
void virtio_net_notify(void);

/* Acknowledge the device's interrupt. */
void virtio_net_acknowledge(void);

/* The next frame that was received, or NULL; and give its buffer back. */
const void *virtio_net_received(void);
void virtio_net_done(void);

/* Bytes of that frame, with its header. */
uint32_t virtio_net_received_size(void);

/* After virtio_net_open(): the device's address. */
void virtio_net_mac(uint8_t mac[VIRTIO_NET_MAC_SIZE]);
