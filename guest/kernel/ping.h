/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bench guest as a host of the network that a link of kind=virtio is: 10.0.0.N, where N is the
 * last byte of its MAC address, the number of the VM in the plan. It answers ARP and ping.
 */
#pragma once

#include "guest/kernel/irq.h"
#include "lib/ping.h"

#define PING_HOSTS PLAN_VM_MAX /* numbers 1 to that */

extern struct ping_host ping_host; /* this one */

/* Why this VM cannot ping; NULL: it can. */
const char *ping_refuses(const struct guest_run *run);

/* Start the device; `handler` has its interrupt. */
void ping_open(const struct guest_run *run, irq_handler handler);

/* First in that handler, after its stamp: answer requests, and hand every answer to `heard`, which
 * may be NULL. */
void ping_receive(void (*heard)(enum ping_kind kind, const uint8_t *frame, uint32_t size));

/* Where the next frame to send is to be written, and its transmission. */
uint8_t *ping_frame(void);
void ping_send(uint32_t size);
