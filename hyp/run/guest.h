/* SPDX-License-Identifier: Apache-2.0 */
/* The types of VMs: the bench guest (guest_bench.c), an unmodified guest (guest_unmodified.c), the
 * background VM (guest_background.c). */
#pragma once

#include "hyp/dev/virtio_net.h"
#include "hyp/vm/vm_work.h"

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* Functions for a type of VM that has nothing to do here. */
static inline void guest_nothing(struct vm *vm)
{
}

static inline bool guest_nothing_left(struct vm *vm)
{
	return false;
}

/* Reset the VM's network device, if it has one. The device's RAM is the VM's own. Return true,
 * without effect, while another core uses the device. */
static inline bool guest_unplug(struct vm *vm)
{
	return vm->machine->net && !virtio_net_reset(vm->machine->net);
}

/* Reset the VM's network device, if it has one, after the VM's last life. */
static inline void guest_unplugged(struct vm *vm)
{
	if (vm->machine->net)
		virtio_net_stop(vm->machine->net);
}

/* Do one piece of vm_type.reset(), from vm->progress.done on, with at most `left` bytes: copy the
 * piece from `from` to the VM's RAM at `to`, and clean it to memory; or only clean it. */
static inline size_t guest_piece(struct vm *vm, uint64_t left)
{
	size_t size = left < VM_PIECE_BYTES ? (size_t)left : VM_PIECE_BYTES;

	vm->progress.done += size;
	return size;
}

static inline void guest_load_piece(struct vm *vm, ipa_t to, uintptr_t from, uint64_t left)
{
	size_t size = guest_piece(vm, left);

	ram_write(&vm->machine->ram, to, (const void *)from, size);
	ram_clean(&vm->machine->ram, to, size);
}

static inline void guest_clean_piece(struct vm *vm, ipa_t at, uint64_t left)
{
	ram_clean(&vm->machine->ram, at, guest_piece(vm, left));
}

/* Each function describes the machine of a type of VM; vms.c adds vCPUs and SPIs. */

/* Describe the bench guest, VM `vm`. The guest gets `run`, with the size of its RAM, in its RAM; a
 * load also gets its configuration. */
void guest_bench(struct vm_machine *machine, unsigned vm, const struct guest_run *run, pa_t ram_pa,
		 uint64_t ram_size);
void guest_load(struct vm_machine *machine, unsigned vm, const struct guest_run *run,
		const struct run_config *config, pa_t ram_pa, uint64_t ram_size);

/* Describe an unmodified guest with its RAM at ram_pa. Its machine looks like QEMU's virt; without
 * stage 2 it is the board's. The host tool has checked that this board can run the guest. */
void guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct plan_vm *vm, pa_t ram_pa, bool stage2);

void guest_background(struct vm_machine *machine);
