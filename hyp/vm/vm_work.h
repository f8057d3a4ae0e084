/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What EL2 does for a VM that starts again, or that an event destroys or makes anew. Quick is only
 * the first part.
 *
 *      quiet    each vCPU's core takes the vCPU from its run queue; no instruction of the guest
 *               runs
 *      silence  a VM that is destroyed: each vCPU's core ends its timers and interrupts
 *      unmap    a VM that is destroyed: the core of vCPU 0 empties stage 2; the VM is absent
 *      build    a VM that is made anew: the core of vCPU 0 builds stage 2
 *      clear    each vCPU's core makes the vCPU and its interrupts as at reset
 *      load     the core of vCPU 0 copies the images and resets the devices; the VM runs
 *
 * A restart is quiet, clear, load; the end of a VM is quiet, silence, unmap; a VM that is made anew
 * has quiet, build, clear, load. A part begins when every vCPU has finished the part before it.
 * After the first part the vCPU is a *worker*: the scheduler gives it the core at its own priority,
 * and in its turn EL2 does a piece of the work in the guest's place. No piece is long, and
 * interrupts are taken between two pieces, so the work of one VM delays another VM as little as its
 * guest does.
 *
 * A vCPU that a guest turns on or off is a worker, too, by itself: CPU_OFF resets its private
 * interrupts, and the vCPU is off after that; CPU_ON resets its registers. So is a vCPU that is off
 * and has posts.
 *
 * vCPUs stay attached to their cores while their VM is absent. A step creates each of its VMs first
 * (hyp/vm/life.h), so an event makes only VMs that another event has destroyed.
 */
#pragma once

#include "hyp/vm/vm.h"

/* Some thousand instructions at most: bytes of an image that a piece copies. */
#define VM_PIECE_BYTES 0x400u

static inline bool vm_works(const struct vcpu *vcpu)
{
	return vcpu->load_work & VCPU_WORKS;
}

/* The VM starts again, whatever its state: on core 0, by an event. A VM that starts again already
 * goes on with that. */
void vm_restart(struct vm *vm);

/* The VM leaves, whatever its state, and is absent in the end: on core 0, by an event. */
void vm_dismiss(struct vm *vm);

/* A VM that vm_dismiss() was called for is made anew once it has left, and is stopped at `limit`, a
 * value of CNTPCT: on core 0, by an event. */
void vm_make_anew(struct vm *vm, uint64_t limit);

/* The functions below run on the core of `vcpu`, with no vCPU loaded. */

/* vm->outcome is VM_RESET or VM_LEAVING: `vcpu` does its part, or waits while the VM is paused. */
void vm_work_follow(struct vcpu *vcpu);

/* `vcpu` is a worker, and has its turn: do one piece. */
void vm_work_piece(struct vcpu *vcpu);

/* `vcpu` is not scheduled, and becomes a worker. turn_off: the vCPU has turned itself off and is in
 * memory. turn_on: its power is VCPU_STARTING. posts: it is off, and has posts. */
void vm_work_turn_off(struct vcpu *vcpu);
void vm_work_turn_on(struct vcpu *vcpu);
void vm_work_posts(struct vcpu *vcpu);

/* `vcpu` is not scheduled any more, and no worker. */
void vm_work_leave(struct vcpu *vcpu);
