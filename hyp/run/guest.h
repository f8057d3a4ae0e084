/* SPDX-License-Identifier: Apache-2.0 */
/* The types of VMs: the bench guest (guest_bench.c), an unmodified guest (guest_unmodified.c), the
 * background VM (guest_background.c). */
#pragma once

#include "hyp/vm/machine.h"

struct vm;

extern const struct vm_type vm_type_bench, vm_type_unmodified;

/* A function of a type that has nothing to do. */
static inline void guest_nothing(struct vm *vm)
{
}

/* Describes the machine of the bench guest, which gets `run`, with its RAM's size, in its RAM. */
void guest_bench(struct vm_machine *machine, const struct guest_run *run, uint64_t ram_size);

/* Describes the machine of an unmodified guest, with its RAM at ram_pa: it looks like QEMU's virt;
 * without stage 2 it is the board. The host tool has checked that this board can run it. */
void guest_unmodified(struct vm_machine *machine, const struct plan_guest *plan,
		      const struct plan_vm *vm, pa_t ram_pa, bool stage2);

/* Describes the machine of the background VM. How often it went round its loop, not loaded. */
void guest_background(struct vm_machine *machine);
uint32_t guest_background_rounds(const struct vm *vm);
