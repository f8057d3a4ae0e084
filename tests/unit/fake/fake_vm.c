/* SPDX-License-Identifier: Apache-2.0 */
/* The VMs of tests that do not link vm.c. */
#include "hyp/vm/vm.h"

struct vm vms[VM_MAX];

bool vm_end(struct vm *vm, enum vm_outcome outcome)
{
	if (vm->outcome != VM_RUNNING)
		return false;
	vm->outcome = outcome;
	return true;
}
