/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_work.h"

#include "arch/cache.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_gic.h"
#include "lib/bits.h"

/* vm->work: the part in the upper bits, and a bit for each vCPU that has finished it. */
enum part { NONE, QUIET, CLEAR, LOAD };
#define PART(work) ((enum part)((work) >> VCPU_MAX))
_Static_assert(VM_WORK_BEGINS >> VCPU_MAX == QUIET, "the first part");
#define FINISHED(work, n) ((work) >> (n)&1)

static bool is_finished(const struct vm *vm, uint32_t work)
{
	uint32_t all = PART(work) == LOAD ? BIT(0) : BIT(vm->vcpu_count) - 1;

	return (work & all) == all;
}

static void begin_part(struct vm *vm, enum part part)
{
	__atomic_store_n(&vm->work, (uint32_t)part << VCPU_MAX, __ATOMIC_RELEASE);
}

/* This core's own loop looks at the VM next. */
static void ask_others(const struct vm *vm)
{
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		if (vm->vcpu[n]->core != smp_core())
			smp_ask(vm->vcpu[n]->core);
}

/* False: the VM has come to its end meanwhile, and may start again from the first part. */
static bool set_finished(struct vcpu *vcpu, enum part part, uint32_t *work)
{
	struct vm *vm = vcpu->vm;

	*work = __atomic_load_n(&vm->work, __ATOMIC_ACQUIRE);
	do {
		if (PART(*work) != part)
			return false;
	} while (!__atomic_compare_exchange_n(&vm->work, work, *work | BIT(vcpu->index), false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*work |= BIT(vcpu->index);
	return true;
}

/* The last vCPU to finish begins the next part. */
static void finish_part(struct vcpu *vcpu, enum part part)
{
	struct vm *vm = vcpu->vm;
	uint32_t work;

	if (!set_finished(vcpu, part, &work) || !is_finished(vm, work))
		return;
	if (part == LOAD) {
		vm_begin_run(vm, VM_RESET);
		return;
	}
	begin_part(vm, part + 1);
	ask_others(vm);
}

/* --- the steps of a part --- */

/* Do piece number `piece` of a step. False: it was the last one. */
typedef bool step(struct vcpu *vcpu, unsigned piece);

/* What is left of the guest neither signals nor is found by an interrupt. */
static bool silence(struct vcpu *vcpu, unsigned piece)
{
	if (vcpu->index == 0) {
		timerq_stop(&vcpu->vm->heartbeat);
		timerq_stop(&vcpu->vm->net_rest);
	}
	vppi_put();
	vgic_reset_piece(&vcpu->vgic, 0, 0, false);
	fp_remove(&vcpu->fp);
	return false;
}

/* The measured VM has SPIs of the board. */
static bool release_spis(struct vcpu *vcpu, unsigned piece)
{
	return vcpu->index == 0 && vm_gic_release_piece(vcpu->vm, piece);
}

static bool reset_interrupts(struct vcpu *vcpu, unsigned piece)
{
	return !vcpu->vm->type->no_gic && vm_gic_reset_piece(vcpu, piece);
}

static bool reset_el2(struct vcpu *vcpu, unsigned piece)
{
	vm_begin_el2(vcpu);
	return false;
}

static bool silence_devices(struct vcpu *vcpu, unsigned piece)
{
	vcpu->vm->type->restarts(vcpu->vm);
	return false;
}

static bool reset_distributor(struct vcpu *vcpu, unsigned piece)
{
	vgicd_reset_piece(&vcpu->vm->dist, piece);
	return piece + 1 < VGICD_RESET_PIECES;
}

static bool begin_life(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	vm_begin_life(vm);
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->power = VCPU_OFF;
	return false;
}

static bool reset_machine(struct vcpu *vcpu, unsigned piece)
{
	return vcpu->vm->type->reset(vcpu->vm);
}

static bool set_clocks(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	icache_invalidate_all();
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->el2.cntvoff_el2 = vm->cntvoff;
	return false;
}

#define STEPS_MAX 5u
static step *const steps_of[][STEPS_MAX + 1] = {
	[CLEAR] = { silence, release_spis, reset_interrupts, reset_el2 },
	[LOAD] = { silence_devices, reset_distributor, begin_life, reset_machine, set_clocks },
};

/* --- workers --- */

static void begin_work(struct vcpu *vcpu, enum part part)
{
	vtimer_stop(vcpu);
	vcpu->el1.cntv_ctl_el0 = vcpu->el1.cntp_ctl_el0 = 0; /* a switch starts none again */
	vcpu->work = (struct vcpu_work){ .part = (uint8_t)part };
	sched_add_worker(vcpu);
}

void vm_work_leave(struct vcpu *vcpu)
{
	sched_remove(vcpu);
	vcpu->load_work = 0;
}

void vm_work_follow(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;
	uint32_t work = __atomic_load_n(&vm->work, __ATOMIC_ACQUIRE);

	if (FINISHED(work, vcpu->index) || (PART(work) == LOAD && vcpu->index != 0))
		return;
	if (PART(work) == NONE) { /* another core is about to begin the first part, and asks then */
		vm_work_leave(vcpu);
	} else if (PART(work) == QUIET) {
		vm_work_leave(vcpu);
		finish_part(vcpu, QUIET);
		vm_work_follow(vcpu); /* the last vCPU has begun the next part */
	} else if (vm_works(vcpu)) {
		vm->paused ? sched_pause(vcpu) : sched_resume(vcpu);
	} else if (!vm->paused) {
		begin_work(vcpu, PART(work));
	}
}

void vm_work_piece(struct vcpu *vcpu)
{
	struct vcpu_work *work = &vcpu->work;
	step *const *steps = steps_of[work->part];

	if (steps[work->step](vcpu, work->piece++))
		return;
	work->piece = 0;
	if (steps[++work->step])
		return;
	vm_work_leave(vcpu);
	finish_part(vcpu, (enum part)work->part);
}

/* --- from core 0 --- */

/* A VM that is at its end may have got there in any part. */
static bool try_restart(struct vm *vm)
{
	enum vm_outcome outcome = vm_outcome(vm);

	if (outcome == VM_RESET)
		return true;
	if (outcome != VM_RUNNING)
		__atomic_store_n(&vm->work, 0, __ATOMIC_RELEASE);
	if (!__atomic_compare_exchange_n(&vm->outcome, &outcome, VM_RESET, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		return false;
	vm_begin_work(vm);
	return true;
}

void vm_restart(struct vm *vm)
{
	while (!try_restart(vm))
		;
	vm->paused = false;
	ask_others(vm);
}
