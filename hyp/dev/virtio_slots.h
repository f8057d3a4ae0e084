/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory-mapped transports of QEMU's `virt` without a device. A guest reads the magic value,
 * the version and device 0, which a driver ignores (VIRTIO 1.2, 4.2.2.2). Every other register
 * reads as 0, and a store changes nothing.
 */
#pragma once

struct vm;

/*
 * Add all transports of abi/virt.h to the VM. Call this function after the VM's own device is
 * added, which takes precedence.
 */
void virtio_slots_add(struct vm *vm);
