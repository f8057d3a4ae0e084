/* SPDX-License-Identifier: Apache-2.0 */
/* The life cycle of a VM, by core 0 alone, with every core of the VM in EL2. */
#pragma once

#include "hyp/vm/vm.h"

extern struct vm vm_under_test;

/* A VM of `machine` under `config`; what was in it is gone. Both are used until the VM's end. */
void vm_create(struct vm *vm, const struct run_config *config, const struct vm_machine *machine);

/* Runs the guest from its start to its end. Sets vm->outcome; emits the records of a fault. Returns
 * the ticks from the guest's first instruction to its end; 0 where the VM was refused. */
uint64_t vm_run(struct vm *vm, uint32_t limit_ms);
