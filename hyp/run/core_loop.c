/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/core_loop.h"

#include "arch/barrier.h"
#include "hyp/arch/guest.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_work.h"
#include "lib/compiler.h"

/* Load `vcpu` and run guests until the core leaves vcpu_run(). Put the vCPU that is loaded then,
 * which may be another one. */
static void run(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;
	bool off;

	vcpu_load(vcpu);
	if (!vm->entered) {
		vm->entered = true;
		vm->type->starting(vm);
	}
	vcpu = vcpu_run(vcpu);
	off = vcpu->state == VCPU_STATE_OFF;
	if (off)
		vm_core_off(vcpu);
	vcpu_put(vcpu);
	cpu_guest_off();
	sched_leave();
	if (off)
		vm_work_turn_off(vcpu);
}

/* EL2 does a worker's turn itself, and takes all interrupts before each piece. A kick reports posts
 * of other cores; the core's loop processes requests. */
static __cold void work(struct vcpu *vcpu)
{
	for (;;) {
		while (trap_irq_idle())
			;
		sched_wake_posted();
		if (sched_next() != vcpu)
			break;
		vm_work_piece(vcpu);
		if (sched_next() != vcpu || !vm_works(vcpu) || smp_is_asked())
			break;
		cpu_relax(); /* an emulator switches cores here, not before a guest */
	}
	sched_leave();
}

/* Interrupts are masked; a pending interrupt ends the wait. */
static void idle(void)
{
	wfi();
	trap_irq_idle();
}

static void turn(void)
{
	struct vcpu *vcpu;

	vm_core_process();
	sched_wake_posted();
	vcpu = sched_begin();
	if (!vcpu)
		idle();
	else if (vm_works(vcpu))
		work(vcpu);
	else
		run(vcpu);
}

void core_loop(bool (*over)(void))
{
	for (;;) {
		/* process calls first: over() sees the effects of all earlier calls */
		smp_process_calls();
		if (over())
			return;
		turn();
	}
}

_Noreturn void core_loop_for_ever(void)
{
	for (;;) {
		smp_process_calls();
		turn();
	}
}
