/* SPDX-License-Identifier: Apache-2.0 */
/* What a VM, and each of its vCPUs, begins a life with. */
#pragma once

#include "hyp/vm/vm.h"

/* EL2's registers for `vcpu`, as at reset. On its core. */
void vm_begin_el2(struct vcpu *vcpu);

/* Forget what EL2 keeps of the VM's last life, except for its vCPUs and its distributor. */
void vm_begin_life(struct vm *vm);

/* Start vCPU 0. False: the VM has left the state `from` meanwhile. */
bool vm_begin_run(struct vm *vm, enum vm_outcome from);
