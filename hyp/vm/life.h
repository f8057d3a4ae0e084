/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life cycle of VMs, by core 0 alone, which has no vCPU loaded meanwhile. Before a step and
 * after it, when no VM runs, core 0 does all the work and waits for the cores of the VM. In a step
 * core 0 waits for no other core, and the cores of the VM do the work: vm_pause() and vm_resume(),
 * and what hyp/vm/vm_work.h has.
 *
 *      absent -- create --> created -- start --> running <-- pause, resume --> paused
 *                              ^                    |                             |
 *                              +------ stop --------+-----------------------------+
 *
 * destroy leads from any of them back to absent. A VM that is at its end is like a created one.
 */
#pragma once

#include "hyp/vm/vm.h"

struct vm_config {
	const char *name;
	const struct run_config *run;
	const struct vm_machine *machine;
	struct page_pool tables;  /* of stage 2; all of them are free */
	struct vcpu_space *space; /* of the vCPUs */
	unsigned priority;        /* hyp/sched/sched.h */
	const uint32_t *core;     /* of each vCPU; no two share one */
};

/* All cores below `core_count` begin anew for a step: core 0 under `run`, the others under
 * `others`; no VM exists. */
void vms_reset(const struct run_config *run, const struct run_config *others, unsigned core_count);

/* Makes a VM. `config->run` and `config->machine` are used until its end. False: it is refused,
 * with the reason in an error record, outcome VM_REFUSED. */
bool vm_create(struct vm *vm, const struct vm_config *config);

/* Starts the guest as after power-on; the VM is stopped at `limit`, a value of CNTPCT. */
void vm_start(struct vm *vm, uint64_t limit);

/* The vCPUs are to stop where they are, and to go on; interrupts for them wait. Time goes on. */
void vm_pause(struct vm *vm);
void vm_resume(struct vm *vm);

/* The step is over: no vCPU of a VM that runs is entered again. */
void vm_halt(struct vm *vm);

/* No vCPU runs on return. vm->outcome stays as the guest, or a fault, has set it. */
void vm_stop(struct vm *vm);

/* Stops the VM, and frees its tables and its VMID: nothing of it is in the TLBs. */
void vm_destroy(struct vm *vm);
