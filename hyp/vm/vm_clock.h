/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VM's CNTVCT over a pause, with pause_clock=held. CNTVOFF grows by the time from the stop of the
 * last vCPU to the resume. All vCPUs of a VM have the same offset, so a pause that ends before each
 * of them has stopped takes no time. Each core applies the offset to its own vCPUs.
 */
#pragma once

#include "hyp/vm/vm.h"

void vm_clock_set_paused(struct vm *vm, bool paused);

/* On the core of `vcpu`: the clock stops or goes on, as vm->paused has it. Returns vm->paused. */
bool vm_clock_follow(struct vcpu *vcpu);

/* `vcpu` has turned itself off. */
void vm_clock_off(struct vcpu *vcpu);

/* The vCPUs' cores follow. */
static inline void vm_set_paused(struct vm *vm, bool paused)
{
	if (vm->clock.held)
		vm_clock_set_paused(vm, paused);
	else
		__atomic_store_n(&vm->paused, paused, __ATOMIC_SEQ_CST);
}
