/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VM on several cores: vCPU n on core n. Core 0 prepares and ends the VM; the others wait in EL2,
 * take part from vm_cores_begin() on, and run their vCPU whenever PSCI has turned it on. A VM with
 * one vCPU passes through here without a wait.
 */
#pragma once

#include "hyp/vm.h"

/* What a core beside core 0 does, for good. */
_Noreturn void vm_cores_wait(void);

/* Whether a VM of so many vCPUs can run in this configuration: its cores have been started on
 * return. False: says why not. */
bool vm_cores_have(unsigned cpus, const struct run_config *config, const char **why);

/* Every vCPU but vCPU 0 is off, on a core that has been reset for it. Behind what core 0 does for
 * the whole VM (its stage 2, the distributor). `limit`: CNTPCT at which the VM is stopped. */
void vm_cores_begin(struct vm *vm, uint64_t limit);

/* On core 0: runs vCPU 0, which is ready, until the VM is at its end on every core. */
void vm_cores_run(struct vm *vm);

/* Ends the VM, on every core: true for whoever does it first, whose outcome it gets. */
bool vm_end(struct vm *vm, enum vm_outcome outcome);

/* Whether this core's vCPU is to stop, because another one has ended the VM. */
bool vm_core_over(void);

/* In vm.c: what this core has of the GIC, for its vCPU that begins. */
void vm_reset_core_gic(struct vcpu *vcpu);
