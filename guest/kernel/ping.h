/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench guest as a host on the network of a link of kind=virtio. Its address is 10.0.0.N, where
 * N is the number of the VM in the scenario and the last byte of the MAC address. The host answers
 * ARP and ping.
 */
#pragma once

#include "guest/kernel/irq.h"
#include "lib/ping.h"

#define PING_HOSTS PLAN_VM_MAX /* host numbers are 1 to PING_HOSTS */

extern struct ping_host ping_host; /* this host */

/* Return why this VM cannot ping, or NULL if it can. */
const char *ping_refuses(const struct guest_run *run);

/* Start the device. `handler` gets its interrupt. */
void ping_open(const struct guest_run *run, irq_handler handler);

/* Answer requests, and pass every answer to `heard`, which may be NULL. The device's handler calls
 * this function first, after its stamp. */
void ping_receive(void (*heard)(enum ping_kind kind, const uint8_t *frame, uint32_t size));

/* Return the buffer of the next frame to send; send that frame. */
uint8_t *ping_frame(void);
void ping_send(uint32_t size);
