/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VMs of a step, as the plan has them: each gets a window of the board's guest RAM and of the
 * memory for tables and vCPUs, the measured VM what the others leave. VM i of the plan is vms[i].
 */
#pragma once

#include "abi/guest_run.h"
#include "abi/plan.h"
#include "hyp/vm/vm.h"

/* Places the VMs of `plan` that take part under `config`, and has their cores begin anew. `run` is
 * the bench guest's. False: this machine cannot have the VMs, with an error record. */
bool vms_place(const struct plan *plan, const struct run_config *config,
	       const struct guest_run *run);

/* True: VM i takes part. */
bool vms_takes_part(unsigned i);

#define EACH_VM(i)                                                                                 \
	for (unsigned i = 0; i < VM_MAX; i++)                                                      \
		if (vms_takes_part(i))

/* Makes VM i where it was placed; vm_machine.leaves is `leaves`. False: it is refused, with an
 * error record. */
bool vms_create(unsigned i, void (*leaves)(const struct vm *vm));
