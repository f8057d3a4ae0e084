/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life cycle of VMs. Only core 0 manages it, with no vCPU loaded. Before and after a step, when
 * no VM runs, core 0 does all the work and waits for the cores of the VM. In a step core 0 waits
 * for no other core, and the cores of the VM do the work: vm_pause(), vm_resume(), and the
 * functions of hyp/vm/vm_work.h.
 *
 *      absent -- create --> created -- start --> running <-- pause, resume --> paused
 *                              ^                    |                             |
 *                              +------ stop --------+-----------------------------+
 *
 * destroy leads from every state back to absent. A VM at its end is like a created one.
 */
#pragma once

#include "hyp/vm/vm.h"

struct vm_config {
	const char *name;
	const struct run_config *run;
	const struct vm_machine *machine;
	struct page_pool tables;  /* pages for stage 2, all of them free */
	struct vcpu_space *space; /* memory of the vCPUs */
	unsigned priority;        /* hyp/sched/sched.h */
	const uint32_t *core;     /* core of each vCPU; no two vCPUs share one */
};

/* Reset all cores below `core_count` for a step: core 0 under `run`, the others under `others`. No
 * VM exists. */
void vms_reset(const struct run_config *run, const struct run_config *others, unsigned core_count);

/* Create a VM. `config->run` and `config->machine` are used until the VM's end. Return false, with
 * outcome VM_REFUSED and the reason in an error record, if the VM is refused. */
bool vm_create(struct vm *vm, const struct vm_config *config);

/* Start the guest as after power-on. The VM is stopped at `limit`, a value of CNTPCT. */
void vm_start(struct vm *vm, uint64_t limit);

/*
 * Stop the vCPUs where they are, and let them continue. Their interrupts wait, and time continues.
 */
void vm_pause(struct vm *vm);
void vm_resume(struct vm *vm);

/* End the step: no vCPU of a running VM is entered again. */
void vm_halt(struct vm *vm);

/*
 * Stop the VM. No vCPU runs on return. vm->outcome keeps the value that the guest or a fault set.
 */
void vm_stop(struct vm *vm);

/* Stop the VM, and free its tables and its VMID. The TLBs hold nothing of it afterwards. */
void vm_destroy(struct vm *vm);
