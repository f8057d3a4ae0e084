/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_begin.h"

#include "hyp/arch/guest.h"
#include "hyp/cpu/smp.h"

#define MPIDR_RES1 (1u << 31) /* U is 0: several cores, as on QEMU's virt even with one */

void vm_begin_el2(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	cpu_guest_el2(vcpu, vm->config);
	if (vm->config->irq == IRQ_TRAPPED) /* as the emulated GIC numbers the vCPU */
		vcpu->el2.vmpidr_el2 = MPIDR_RES1 | vcpu->index;
	vcpu->vttbr = vm_has_stage2(vm) ? stage2_vttbr(&vm->stage2) : 0;
}

void vm_begin_life(struct vm *vm)
{
	vm->booted = vm->entered = false;
	vm->vcpus_on = 1;
	vm->progress = (struct vm_progress){ 0 };
}

bool vm_begin_run(struct vm *vm, enum vm_outcome from)
{
	struct vcpu *first = vm->vcpu[0];
	bool begins;

	first->start_entry = vm->machine->entry;
	first->start_context = 0;
	first->power = VCPU_STARTING;
	__atomic_store_n(&vm->work, 0, __ATOMIC_RELEASE);
	begins = __atomic_compare_exchange_n(&vm->outcome, &from, VM_RUNNING, false,
					     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	smp_ask(first->core);
	return begins;
}
