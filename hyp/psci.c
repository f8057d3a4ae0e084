/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/psci.h"

#include "abi/exit_kind.h"
#include "hyp/vm.h"

#define PSCI_SYSTEM_OFF 0x84000008u
#define PSCI_SYSTEM_RESET 0x84000009u
#define NOT_SUPPORTED (-1)

static struct vcpu *end(struct vcpu *vcpu, enum vm_outcome outcome)
{
	if (vcpu->vm->machine->foreign)
		vcpu->vm->outcome = outcome;
	else
		vm_fault(vcpu->vm, FAULT_BAD_EXIT, 0, 0, 0);
	return NULL;
}

struct vcpu *psci(struct vcpu *vcpu)
{
	switch ((uint32_t)frame_arg(&vcpu->frame, 0)) {
	case PSCI_SYSTEM_OFF:
		return end(vcpu, VM_DONE);
	case PSCI_SYSTEM_RESET:
		return end(vcpu, VM_RESET);
	default:
		frame_set_result(&vcpu->frame, (reg_t)NOT_SUPPORTED);
		return vcpu;
	}
}
