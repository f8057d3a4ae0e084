/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm.h"

#include "abi/record.h"
#include "arch/sysreg.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"

struct vm vms[VM_MAX];

/* If a VM that restarts has not printed the record of its fault yet, a second fault has no record.
 * Such a fault is the time limit. */
void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	struct vm *vm = vcpu->vm;

	if (!vm_end(vm, reason == FAULT_GUEST_CRASH ? VM_CRASHED : VM_FAULT) || vm->fault.vcpu)
		return; /* another vCPU has ended the VM meanwhile */
	vm->fault.reason = reason;
	vm->fault.esr = esr;
	vm->fault.pc = vcpu_is_loaded(vcpu) ? read_elr_el2() : vcpu->elr;
	vm->fault.va = va;
	vm->fault.ipa = ipa;
	vm->fault.members = 0;
	vm->fault.record = (struct vcpu_record){ .kind = RECORD_FAULT };
	__atomic_store_n(&vm->fault.vcpu, vcpu, __ATOMIC_RELEASE);
}

/* A VM that restarts, and is paused, may still reach its time limit. */
static bool can_end(enum vm_outcome before, enum vm_outcome outcome)
{
	return before == VM_RUNNING || (before == VM_RESET && outcome == VM_FAULT);
}

/* Core 0 manages VMs, whichever vCPUs it has. A VM that restarts needs no manager: core 0 learns
 * only of its 1st, 2nd, 4th, 8th ... restart, so that no guest takes core 0's time. */
static void ask_cores(const struct vm *vm)
{
	bool manager = vm_outcome(vm) != VM_RESET || (vm->resets & (vm->resets - 1)) == 0;

	if (manager)
		smp_ask(0);
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		if (!manager || vm->vcpu[n]->core != 0)
			smp_ask(vm->vcpu[n]->core);
}

bool vm_end(struct vm *vm, enum vm_outcome outcome)
{
	enum vm_outcome before = vm_outcome(vm);

	/* bound: 2: the next change is a whole restart away */
	do {
		if (!can_end(before, outcome))
			return false;
	} while (!__atomic_compare_exchange_n(&vm->outcome, &before, outcome, false,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	vm->resets += outcome == VM_RESET;
	if (outcome == VM_RESET)
		vm_begin_work(vm);
	ask_cores(vm);
	return true;
}

void vm_add_region(struct vm *vm, struct mmio_region region)
{
	if (vm->region_count == VM_REGION_MAX)
		panic("too many emulated devices");
	vm->region[vm->region_count++] = region;
}

bool vm_map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	return stage2_map(&vm->stage2, ipa, pa, size, memory);
}
