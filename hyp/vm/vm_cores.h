/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores of a VM. Core 0 prepares and ends the VM; the others wait in EL2. From vm_cores_begin()
 * on each core has one vCPU of the VM, and runs that vCPU whenever it is turned on: vCPU 0 by
 * vm_cores_run(), the others by PSCI. A VM with one vCPU passes through here without a wait.
 */
#pragma once

#include "hyp/vm/vm.h"

/* What a core beside core 0 does, for good. */
_Noreturn void vm_cores_wait(void);

/* Whether a VM of so many vCPUs can run in this configuration: its cores have been started on
 * return. False: says why not. */
bool vm_cores_have(unsigned cpus, const struct run_config *config, const char **why);

/* Every vCPU is off, on a core that has been reset for it. After what core 0 does for the whole VM
 * (its stage 2, the distributor). */
void vm_cores_begin(struct vm *vm);

/* On core 0: starts vCPU 0; returns when the VM is at its end on every core. `limit`: CNTPCT at
 * which the VM is stopped. */
void vm_cores_run(struct vm *vm, uint64_t limit);

/* Whether this core's vCPU is to stop, because another one has ended the VM. */
bool vm_core_over(void);
