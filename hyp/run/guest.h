/* SPDX-License-Identifier: Apache-2.0 */
/* The types of VMs: the bench guest (guest_bench.c), an unmodified guest (guest_unmodified.c), the
 * background VM (guest_background.c). */
#pragma once

#include "hyp/dev/virtio_net.h"
#include "hyp/vm/vm_work.h"

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* A function of a type that has nothing to do. */
static inline void guest_nothing(struct vm *vm)
{
}

/* Its network device, if it has one, is as at reset: its RAM is the VM's alone. */
static inline void guest_unplug(struct vm *vm)
{
	if (vm->machine->net)
		virtio_net_reset(vm->machine->net);
}

/* One piece of what vm_type.reset() does, from vm->progress.done on, `left` bytes at most: copy it
 * from `from` to the VM's RAM at `to`, and to memory; or bring memory up to date there. */
static inline size_t guest_piece(struct vm *vm, uint64_t left)
{
	size_t size = left < VM_PIECE_BYTES ? (size_t)left : VM_PIECE_BYTES;

	vm->progress.done += size;
	return size;
}

static inline void guest_load_piece(struct vm *vm, ipa_t to, uintptr_t from, uint64_t left)
{
	size_t size = guest_piece(vm, left);

	ram_copy(&vm->machine->ram, to, (void *)from, size, true);
	ram_clean(&vm->machine->ram, to, size);
}

static inline void guest_clean_piece(struct vm *vm, ipa_t at, uint64_t left)
{
	ram_clean(&vm->machine->ram, at, guest_piece(vm, left));
}

/* Each describes the machine of a type of VM; vms.c adds vCPUs and SPIs. */

/* The bench guest, VM `vm`, gets `run`, with its RAM's size, in its RAM; a load with its
 * configuration. */
void guest_bench(struct vm_machine *machine, unsigned vm, const struct guest_run *run, pa_t ram_pa,
		 uint64_t ram_size);
void guest_load(struct vm_machine *machine, unsigned vm, const struct guest_run *run,
		const struct run_config *config, pa_t ram_pa, uint64_t ram_size);

/* An unmodified guest, with its RAM at ram_pa, has a machine that looks like QEMU's virt; without
 * stage 2 it has the board. The host tool has checked that this board can run it. */
void guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct plan_vm *vm, pa_t ram_pa, bool stage2);

void guest_background(struct vm_machine *machine);
