/* SPDX-License-Identifier: Apache-2.0 */
/* The state in which a VM, and each of its vCPUs, begins a life. */
#pragma once

#include "hyp/vm/vm.h"

/* Reset EL2's registers for `vcpu`, on its core. */
void vm_begin_el2(struct vcpu *vcpu);

/* Reset EL2's state of the VM's last life, except for its vCPUs and its distributor. */
void vm_begin_life(struct vm *vm);

/* Start vCPU 0. Return false if the VM has left the state `from` meanwhile. */
bool vm_begin_run(struct vm *vm, enum vm_outcome from);
