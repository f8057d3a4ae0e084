/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm.h"

#include "arch/sysreg.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/cpu/smp.h"

struct vm vms[VM_MAX];

static const char *what_is_at(const struct vm *vm, ipa_t ipa)
{
	const struct mmio_region *region = vm_region_at(vm, ipa);
	struct pagetable_leaf leaf;

	if (region)
		return region->name;
	if (!pagetable_walk(&vm->stage2.table, ipa, &leaf))
		return "nothing";
	if ((leaf.attributes & S2_AP_RW) == S2_AP_RO)
		return "flash";
	return (leaf.attributes & S2_MEMATTR_NORMAL) == S2_MEMATTR_DEVICE ? "device" : "RAM";
}

const char *vm_fault_word(enum fault_reason reason)
{
	static const char *const words[] = {
#define X(NAME, text) [FAULT_##NAME] = text,
		FAULT_REASONS(X)
#undef X
	};

	return words[reason];
}

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	struct vm *vm = vcpu->vm;

	if (!vm_end(vm, reason == FAULT_GUEST_CRASH ? VM_CRASHED : VM_FAULT))
		return; /* another vCPU has ended the VM meanwhile */
	record_lock();
	record_open_vcpu(RECORD_FAULT, vm->name, vcpu->index);
	record_string("reason", vm_fault_word(reason));
	record_hex("class", esr >> 26 & 0x3f);
	record_hex("esr", esr);
	record_hex("pc", vcpu->loaded ? read_elr_el2() : vcpu->elr);
	record_hex("va", va);
	record_hex("ipa", ipa);
	if (reason <= FAULT_MMIO_THUMB_STORE)
		record_string("at", what_is_at(vm, ipa));
	record_close();
	record_unlock();
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
