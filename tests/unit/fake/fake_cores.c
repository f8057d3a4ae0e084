/* SPDX-License-Identifier: Apache-2.0 */
/* The several-core part of a VM where there is one core. */
#include "hyp/vm/vm_cores.h"

bool vm_core_over(void)
{
	return false;
}

bool vm_end(struct vm *vm, enum vm_outcome outcome)
{
	if (vm->outcome != VM_RUNNING)
		return false;
	vm->outcome = outcome;
	return true;
}
