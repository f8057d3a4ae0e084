/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VMs of a step. Each VM gets a window of the board's guest RAM and of the memory for tables
 * and vCPUs; the measured VM gets the rest. VM i of the plan is vms[i].
 */
#pragma once

#include "abi/guest_run.h"
#include "abi/plan.h"
#include "hyp/vm/vm.h"

/* Place the VMs of `plan` that take part under `config`, and reset their cores. `run` is the bench
 * guest's. Return false, with an error record, if this machine cannot have the VMs. */
bool vms_place(const struct plan *plan, const struct run_config *config,
	       const struct guest_run *run);

/* Return whether VM i takes part. */
bool vms_takes_part(unsigned i);

#define EACH_VM(i)                                                                                 \
	for (unsigned i = 0; i < VM_MAX; i++)                                                      \
		if (vms_takes_part(i))

/* Create VM i in its place, with vm_machine.leaves = `leaves`. Return false, with an error record,
 * if the VM is refused. */
bool vms_create(unsigned i, void (*leaves)(const struct vm *vm));
