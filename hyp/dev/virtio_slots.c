/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/virtio_slots.h"

#include "abi/virt.h"
#include "abi/virtio_net.h"
#include "hyp/vm/vm.h"

static uint32_t read_register(uint32_t offset)
{
	switch (offset) {
	case VIRTIO_MAGIC_VALUE:
		return VIRTIO_MAGIC;
	case VIRTIO_VERSION:
		return VIRTIO_MODERN;
	default:
		return 0;
	}
}

static reg_t read(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	uint32_t first = offset & ~3u;

	return read_register(first % VIRTIO_SIZE) >> 8 * (offset - first);
}

static void write(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value, void *state)
{
}

void virtio_slots_add(struct vm *vm)
{
	vm_add_region(vm, (struct mmio_region){ VIRT_VIRTIO, VIRT_VIRTIO_SLOTS * VIRTIO_SIZE,
						.read = read, write, NULL, "virtio transports" });
}
