/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory-mapped transports of QEMU's `virt` that have no device: a guest reads the magic value,
 * the version and device 0, which a driver ignores (VIRTIO 1.2, 4.2.2.2). Every other register
 * reads as 0, and a store changes nothing.
 */
#pragma once

struct vm;

/* Adds all transports of abi/virt.h to the VM; after the VM's own device, which goes first. */
void virtio_slots_add(struct vm *vm);
