/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL2's work for a VM that restarts, or that an event destroys or makes anew. Only the first part
 * is quick.
 *
 *      quiet    each vCPU's core removes the vCPU from its run queue; no instruction of the guest
 *               runs
 *      silence  a VM that is destroyed: each vCPU's core ends its timers and interrupts
 *      unmap    a VM that is destroyed: the core of vCPU 0 empties stage 2; the VM is absent
 *      build    a VM that is made anew: the core of vCPU 0 builds stage 2
 *      clear    each vCPU's core resets the vCPU and its interrupts
 *      load     the core of vCPU 0 copies the images and resets the devices; the VM runs
 *
 * A restart is quiet, clear, load; the end of a VM is quiet, silence, unmap; a VM that is made anew
 * has quiet, build, clear, load. A part begins when every vCPU has finished the part before. After
 * the first part the vCPU is a *worker*: the scheduler gives it the core at its own priority, and
 * in its turn EL2 does a piece of the work in the guest's place. Each piece is short, and EL2 takes
 * interrupts between two pieces, so the work of one VM delays another VM no longer than its guest
 * does.
 *
 * A vCPU that has stopped its VM by a fault prints the fault record as a worker, and as the first
 * step of silence or clear if an event comes before the end of the record.
 *
 * A vCPU that a guest turns on or off is a worker by itself: CPU_OFF resets its private interrupts
 * before the vCPU is off; CPU_ON resets its registers. A vCPU that is off and has posts is a
 * worker, too.
 *
 * vCPUs stay attached to their cores while their VM is absent. A step creates each of its VMs first
 * (hyp/vm/life.h), so an event makes only VMs that another event has destroyed.
 */
#pragma once

#include "hyp/vm/vm.h"

/* Bytes of an image that a piece copies: at most some thousand instructions. */
#define VM_PIECE_BYTES 0x400u

static inline bool vm_works(const struct vcpu *vcpu)
{
	return vcpu->load_work & VCPU_WORKS;
}

/* Restart the VM, in any state. An event calls this on core 0. A VM that is restarting already
 * continues its restart. */
void vm_restart(struct vm *vm);

/* Make the VM leave, in any state; it is absent in the end. An event calls this on core 0. */
void vm_dismiss(struct vm *vm);

/* Make a VM anew after vm_dismiss(), once it has left. The VM is stopped at `limit`, a value of
 * CNTPCT. An event calls this on core 0. */
void vm_make_anew(struct vm *vm, uint64_t limit);

/* The functions below run on the core of `vcpu`, with no vCPU loaded. */

/* vm->outcome is VM_RESET or VM_LEAVING: `vcpu` does its part, or waits while the VM is paused. */
void vm_work_follow(struct vcpu *vcpu);

/* `vcpu` is a worker and has its turn: do one piece. */
void vm_work_piece(struct vcpu *vcpu);

/* `vcpu` prints the fault record of its VM, which a fault has stopped, as a worker. */
void vm_work_report(struct vcpu *vcpu);

/* Make `vcpu`, which is not scheduled, a worker. turn_off: the vCPU has turned itself off, and its
 * registers are in memory. turn_on: its power is VCPU_STARTING. posts: the vCPU is off, and has
 * posts. */
void vm_work_turn_off(struct vcpu *vcpu);
void vm_work_turn_on(struct vcpu *vcpu);
void vm_work_posts(struct vcpu *vcpu);

/* Remove `vcpu` from the scheduler and from the workers. */
void vm_work_leave(struct vcpu *vcpu);
