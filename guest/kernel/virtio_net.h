/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver of a network device (abi/virtio_net.h) and its buffers, for one device and one core.
 */
#pragma once

#include "abi/virtio_net.h"
#include "arch/types.h"

/* Reset and start the device at `base`; no other device shares that page. Received frames have at
 * most `size` bytes with their header. `buffers` has room for VIRTIO_QUEUE_MOST frames. */
void virtio_net_open(uintptr_t base, void *buffers, uint32_t size);

/* Queue a frame of `size` bytes with its header. The frame must not change until the device has
 * sent it. Return false if the queue is full. */
bool virtio_net_send(const void *frame, uint32_t size);

/* Notify the device of queued frames. */
void virtio_net_notify(void);

/* Acknowledge the device's interrupt. */
void virtio_net_acknowledge(void);

/* Return the next received frame, or NULL. Return its buffer to the device. */
const void *virtio_net_received(void);
void virtio_net_done(void);

/* Return the size of that frame in bytes, with its header. */
uint32_t virtio_net_received_size(void);

/* Read the device's address, after virtio_net_open(). */
void virtio_net_mac(uint8_t mac[VIRTIO_NET_MAC_SIZE]);
