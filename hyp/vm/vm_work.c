/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_work.h"

#include "arch/cache.h"
#include "arch/sysreg.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vcpu_power.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_build.h"
#include "hyp/vm/vm_gic.h"
#include "hyp/vm/vm_report.h"
#include "lib/bits.h"

/* vm->work: the part in the upper bits, and one bit for each vCPU that has finished the part. */
enum part { NONE, QUIET, SILENCE, UNMAP, BUILD, CLEAR, LOAD, TURN_OFF, TURN_ON, POSTS, REPORT };
#define PART(work) ((enum part)((work) >> VCPU_MAX))
_Static_assert(VM_WORK_BEGINS >> VCPU_MAX == QUIET, "the first part");
#define FINISHED(work, n) ((work) >> (n)&1)

static bool is_of_vcpu_0(enum part part)
{
	return part == UNMAP || part == BUILD || part == LOAD;
}

static bool is_of_start(enum part part)
{
	return part == BUILD || part == CLEAR || part == LOAD;
}

static bool is_of_one_vcpu(enum part part)
{
	return part >= TURN_OFF;
}

static bool is_finished(const struct vm *vm, uint32_t work)
{
	uint32_t all = is_of_vcpu_0(PART(work)) ? BIT(0) : BIT(vm->vcpu_count) - 1;

	return (work & all) == all;
}

static bool is_dismissed(const struct vm *vm)
{
	return __atomic_load_n(&vm->dismissed, __ATOMIC_ACQUIRE);
}

static enum part part_after(const struct vm *vm, enum part part)
{
	if (part == SILENCE)
		return UNMAP;
	if (is_dismissed(vm))
		return SILENCE;
	if (!vm->built)
		return BUILD;
	return part == CLEAR ? LOAD : CLEAR;
}

static void begin_part(struct vm *vm, enum part part)
{
	__atomic_store_n(&vm->work, (uint32_t)part << VCPU_MAX, __ATOMIC_RELEASE);
}

/* Request a check of the VM from the other cores; this core's own loop checks it next. */
static void ask_others(const struct vm *vm)
{
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		if (vm->vcpu[n]->core != smp_core())
			smp_ask(vm->vcpu[n]->core);
}

/*
 * Mark the vCPU's part as finished. Return false if the VM has come to its end meanwhile; it may
 * restart from the first part.
 */
static bool set_finished(struct vcpu *vcpu, enum part part, uint32_t *work)
{
	struct vm *vm = vcpu->vm;

	*work = __atomic_load_n(&vm->work, __ATOMIC_ACQUIRE);
	/* wait: exchange */
	do {
		if (PART(*work) != part)
			return false;
	} while (!__atomic_compare_exchange_n(&vm->work, work, *work | BIT(vcpu->index), false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*work |= BIT(vcpu->index);
	return true;
}

/* The work is finished. If an event came meanwhile, this core does the event's work. */
static void finish_work(struct vm *vm)
{
	vm_begin_work(vm);
	ask_others(vm);
}

static void run(struct vm *vm)
{
	if (!vm_begin_run(vm, VM_RESET) && vm_outcome(vm) == VM_LEAVING)
		finish_work(vm);
}

static void leave(struct vm *vm)
{
	enum vm_outcome leaving = VM_LEAVING;

	__atomic_store_n(&vm->dismissed, false, __ATOMIC_RELEASE);
	__atomic_store_n(&vm->work, 0, __ATOMIC_RELEASE);
	if (!__atomic_compare_exchange_n(&vm->outcome, &leaving, VM_ABSENT, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		finish_work(vm); /* an event makes the VM anew */
}

/* Work for one vCPU has only one part, and its turns do not count as turns of the guest. */
static void finish_alone(struct vcpu *vcpu, enum part part)
{
	vcpu->turns = vcpu->work.turns;
	if (part == TURN_OFF)
		__atomic_store_n(&vcpu->power, VCPU_OFF, __ATOMIC_RELEASE);
	if (part != TURN_ON)
		return;
	sched_add(vcpu);
	__atomic_store_n(&vcpu->power, VCPU_ON, __ATOMIC_RELEASE);
}

/* The last vCPU to finish a part begins the next part. */
static void finish_part(struct vcpu *vcpu, enum part part)
{
	struct vm *vm = vcpu->vm;
	uint32_t work;

	if (!set_finished(vcpu, part, &work) || !is_finished(vm, work))
		return;
	if (part == UNMAP) {
		leave(vm);
	} else if (part == LOAD && !is_dismissed(vm)) {
		run(vm);
	} else {
		begin_part(vm, part_after(vm, part));
		ask_others(vm);
	}
}

/* --- the steps of a part --- */

/* A step does its piece number `piece`. It returns false after the last one. */
typedef bool step(struct vcpu *vcpu, unsigned piece);

/* Only the vCPU of the fault prints its record, so nothing changes the facts meanwhile. */
static bool report(struct vcpu *vcpu, unsigned piece)
{
	struct vm_report *fault = &vcpu->vm->fault;

	return fault->vcpu == vcpu && vm_report_piece(fault);
}

/* A guest that restarts for ever has records only of its 1st, 2nd, 4th, 8th ... restart. Beside
 * another VM only the record `vm` has the number. */
static bool report_restart(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;
	struct vm_report *report = &vm->restarts;
	bool counts = vm->machine->reports_restarts && (vm->resets & (vm->resets - 1)) == 0;
	bool more;

	if (counts && report->restarts != vm->resets)
		vm_report_restarts(vcpu);
	more = vm_report_piece(report);
	if (more && !report->vcpu) /* the last piece */
		report->ticks += (uint32_t)(read_cntpct_el0() - report->begun);
	return more;
}

/* Print the record of a fault; then silence the rest of the guest: it neither signals nor gets an
 * interrupt. */
static bool silence(struct vcpu *vcpu, unsigned piece)
{
	if (report(vcpu, piece))
		return true;
	if (vcpu->index == 0) {
		if (is_dismissed(vcpu->vm))
			timerq_stop(&vcpu->vm->limit_timer);
		timerq_stop(&vcpu->vm->heartbeat);
		timerq_stop(&vcpu->vm->net_rest);
	}
	timerq_stop(&vcpu->doorbell_timer);
	vppi_put();
	vgic_reset_piece(&vcpu->vgic, 0, 0, false);
	fp_remove(&vcpu->fp);
	return false;
}

/* Release the board's SPIs that the measured VM has. */
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
	/* calls: restarts guest_unplug guest_nothing_left */
	return vcpu->vm->type->restarts(vcpu->vm);
}

/* End the life: the last step, so that the end of a run finds the life either kept or whole. */
static bool end_life(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	vm->machine->leaves(vm); /* calls: keep_life */
	vm->smc_count = vm->resets = vm->restarts.restarts = vm->rom_writes = 0;
	vm->faults = (struct vm_faults){ 0 };
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->turns = 0;
	vm_unmap_all(vm);
	return false;
}

/* Begin the build. The VM's limit counts from here, and again from the first instruction. */
static bool begin_build(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	timerq_start(&vm->limit_timer, vm->limit);
	vm_build_begin(vm);
	return false;
}

/* Build stage 2. The pool has enough pages: an earlier life needed as many. */
static bool build(struct vcpu *vcpu, unsigned piece)
{
	enum vm_build result = vm_build_piece(vcpu->vm);

	if (result == VM_BUILD_FAILED)
		panic("a VM that is made anew needs more tables");
	return result == VM_BUILD_MORE;
}

static bool reset_distributor(struct vcpu *vcpu, unsigned piece)
{
	vgicd_reset_piece(&vcpu->vm->dist, piece);
	return piece + 1 < VGICD_RESET_PIECES;
}

static bool begin_life(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	if (!record_try_lock())
		return true;
	guest_record_forget(vm);
	record_unlock();
	vm_begin_life(vm);
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->power = VCPU_OFF;
	return false;
}

static bool reset_machine(struct vcpu *vcpu, unsigned piece)
{
	return vcpu->vm->type->reset(vcpu->vm); /* calls: reset */
}

static bool set_clocks(struct vcpu *vcpu, unsigned piece)
{
	struct vm *vm = vcpu->vm;

	icache_invalidate_all();
	/* bound: VCPU_MAX */
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		vm->vcpu[n]->el2.cntvoff_el2 = vm->cntvoff;
	return false;
}

static bool begin_vcpu(struct vcpu *vcpu, unsigned piece)
{
	vcpu_power_begin(vcpu);
	return false;
}

static bool process_posts(struct vcpu *vcpu, unsigned piece)
{
	return vcpu_power_process_posts(vcpu);
}

#define STEPS_MAX 6u
static step *const steps_of[][STEPS_MAX + 1] = {
	[SILENCE] = { silence, release_spis },
	[UNMAP] = { report_restart, silence_devices, end_life },
	[BUILD] = { begin_build, build },
	[CLEAR] = { silence, release_spis, reset_interrupts, reset_el2 },
	[LOAD] = { report_restart, silence_devices, reset_distributor, begin_life, reset_machine,
		   set_clocks },
	[TURN_OFF] = { vcpu_power_reset },
	[TURN_ON] = { begin_vcpu },
	[POSTS] = { process_posts },
	[REPORT] = { report },
};

/* --- workers --- */

static void begin_work(struct vcpu *vcpu, enum part part)
{
	vcpu->work = (struct vcpu_work){ .part = (uint8_t)part, .turns = vcpu->turns };
	sched_add_worker(vcpu);
}

/* Remove the vCPU from workers. No timer of the vCPU may remain: an expiry would make a physical
 * PPI active that another vCPU owns. */
void vm_work_leave(struct vcpu *vcpu)
{
	sched_remove(vcpu);
	vtimer_stop(vcpu);
	vcpu->el1.cntv_ctl_el0 = vcpu->el1.cntp_ctl_el0 = 0; /* a switch starts no timer again */
	vcpu->load_work = 0;
}

/* Return whether the vCPU has finished the first part, so that another part may have begun. */
static bool follow_part(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;
	uint32_t work = __atomic_load_n(&vm->work, __ATOMIC_ACQUIRE);

	if (FINISHED(work, vcpu->index) || (is_of_vcpu_0(PART(work)) && vcpu->index != 0))
		return false;
	/* another core is about to begin the first part, and then sends its request */
	if (PART(work) == NONE) {
		vm_work_leave(vcpu);
	} else if (PART(work) == QUIET) {
		vm_work_leave(vcpu);
		finish_part(vcpu, QUIET);
		return true;
	} else if (vm_works(vcpu)) {
		vm->paused ? sched_pause(vcpu) : sched_resume(vcpu);
	} else if (!vm->paused) {
		begin_work(vcpu, PART(work));
	}
	return false;
}

void vm_work_follow(struct vcpu *vcpu)
{
	/* bound: 2: the first part is finished once */
	while (follow_part(vcpu))
		;
}

void vm_work_report(struct vcpu *vcpu)
{
	if (vm_works(vcpu) && vcpu->work.part == REPORT)
		return;
	vm_work_leave(vcpu);
	begin_work(vcpu, REPORT);
}

void vm_work_turn_off(struct vcpu *vcpu)
{
	begin_work(vcpu, TURN_OFF);
}

void vm_work_turn_on(struct vcpu *vcpu)
{
	begin_work(vcpu, TURN_ON);
}

void vm_work_posts(struct vcpu *vcpu)
{
	begin_work(vcpu, POSTS);
}

/* Do a piece. A VM that is to leave needs no start. */
__attribute__((noinline)) void vm_work_piece(struct vcpu *vcpu)
{
	struct vcpu_work *work = &vcpu->work;
	step *const *steps = steps_of[work->part];
	enum part part = (enum part)work->part;
	bool cut = is_of_start(part) && is_dismissed(vcpu->vm);

	if (!cut && steps[work->step](vcpu, work->piece++))
		return;
	work->piece = 0;
	if (!cut && steps[++work->step])
		return;
	sched_leave(); /* the next vCPU gets its turn from the core's loop */
	vm_work_leave(vcpu);
	if (is_of_one_vcpu(part))
		finish_alone(vcpu, part);
	else
		finish_part(vcpu, part);
}

/* --- from core 0 --- */

/* Try to change the state of a VM, which may have ended in any part. */
static bool try_change(struct vm *vm, enum vm_outcome *from, enum vm_outcome to)
{
	*from = vm_outcome(vm);
	if (*from == to)
		return true;
	if (*from == VM_CREATED || *from > VM_RESET)
		__atomic_store_n(&vm->work, 0, __ATOMIC_RELEASE);
	return __atomic_compare_exchange_n(&vm->outcome, from, to, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

/* Change the state of a VM. A VM with work continues the work and reaches `to` afterwards. */
static void change(struct vm *vm, enum vm_outcome to)
{
	enum vm_outcome from;

	while (!try_change(vm, &from, to))
		;
	vm->paused = false;
	if (to == VM_LEAVING)
		__atomic_store_n(&vm->dismissed, true, __ATOMIC_RELEASE);
	if (from != VM_RESET && from != VM_LEAVING)
		vm_begin_work(vm);
	ask_others(vm);
}

void vm_restart(struct vm *vm)
{
	change(vm, VM_RESET);
}

void vm_dismiss(struct vm *vm)
{
	change(vm, VM_LEAVING);
}

void vm_make_anew(struct vm *vm, uint64_t limit)
{
	vm->limit = limit;
	change(vm, VM_RESET);
}
