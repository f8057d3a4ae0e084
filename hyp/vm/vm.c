/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm.h"

#include "arch/sysreg.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"

static bool has(const struct mmio_region *region, ipa_t ipa)
{
	return ipa - region->base < region->size;
}

static const char *what_is_at(const struct vm *vm, ipa_t ipa)
{
	struct pagetable_leaf leaf;

	for (unsigned i = 0; i < vm->region_count; i++)
		if (has(&vm->region[i], ipa))
			return vm->region_name[i];
	if (!stage2_walk(&vm->stage2, ipa, &leaf))
		return "nothing";
	if ((leaf.attributes & S2_AP_RW) == S2_AP_RO)
		return "flash";
	return (leaf.attributes & S2_MEMATTR_NORMAL) == S2_MEMATTR_DEVICE ? "device" : "RAM";
}

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	struct vm *vm = vcpu->vm;
	static const char *const name[] = {
#define X(NAME, text) [FAULT_##NAME] = text,
		FAULT_REASONS(X)
#undef X
	};

	if (!vm_end(vm, VM_FAULT) && vm->vcpu_count > 1)
		return; /* another vCPU has ended it meanwhile */
	vm->outcome = VM_FAULT;
	record_lock();
	record_open_vcpu(RECORD_FAULT, vm->name, vcpu->index);
	record_string("reason", name[reason]);
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

bool vm_end(struct vm *vm, enum vm_outcome outcome)
{
	enum vm_outcome before = VM_RUNNING;

	return __atomic_compare_exchange_n(&vm->outcome, &before, outcome, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

void vm_add_region(struct vm *vm, const char *name, struct mmio_region region)
{
	if (vm->region_count == VM_REGION_MAX)
		panic("too many emulated devices");
	vm->region_name[vm->region_count] = name;
	vm->region[vm->region_count++] = region;
	vm->region[vm->region_count].size = 0;
}

bool vm_map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	return stage2_map(&vm->stage2, ipa, pa, size, memory);
}

void vm_name_vcpus(struct vm *vm)
{
	vgicd_init(&vm->dist, vm->vcpu, vm->vcpu_count);
	for (unsigned n = 0; n < vm->vcpu_count; n++) {
		vm->vcpu[n]->vm = vm;
		vm->vcpu[n]->index = n;
		vm->vcpu[n]->core = vm->core[n];
		vm->vcpu[n]->priority = vm->priority;
		vm->vcpu[n]->traps = vm->type->traps;
		vm->vcpu[n]->hypercalls = vm->type->hypercalls;
	}
}
