/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_core.h"

#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "hyp/arch/guest.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_gic.h"
#include "hyp/vm/vm_work.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

static struct vcpu *attached PERCPU; /* list of this core's vCPUs */

void vm_core_reset(void *config)
{
	const struct run_config *run = config;

	attached = NULL;
	vm_gic_reset_core(run);
	sched_reset(run);
	fp_reset((enum fp_mode)run->fp);
}

static void limit_reached(struct timer *timer)
{
	struct vm *vm = (struct vm *)((char *)timer - offsetof(struct vm, limit_timer));

	if (vm->limit >= VM_NO_LIMIT) /* under icount a sleep may last that long */
		return;
	/* set by the attach: loading does not count for the limit */
	if (timer->deadline < vm->limit) {
		timerq_start(timer, vm->limit);
		return;
	}
	vm_fault(vm->vcpu[0], FAULT_TIME_LIMIT, 0, 0, 0);
	sched_leave();
}

/*
 * Return the link that points to `vcpu`, or the last link, to NULL, if this core does not have it.
 */
static struct vcpu **find(const struct vcpu *vcpu)
{
	struct vcpu **link = &attached;

	/* bound: CORE_VCPUS */
	while (*link && *link != vcpu)
		link = &(*link)->next_attached;
	return link;
}

void vm_core_attach(void *argument)
{
	struct vcpu *vcpu = argument;
	struct vm *vm = vcpu->vm;

	vcpu->power = VCPU_OFF;
	vcpu->next_attached = NULL;
	if (!vm->type->no_gic)
		vm_gic_reset_vcpu(vcpu);
	vm_begin_el2(vcpu);
	if (vcpu->index == 0) {
		vm->limit_timer.function = limit_reached;
		vm->heartbeat.function = vm_heartbeat_is_late;
		timerq_start(&vm->limit_timer, vm->limit);
	}
	*find(NULL) = vcpu; /* detached already */
}

void vm_core_detach(void *argument)
{
	struct vcpu *vcpu = argument;
	struct vcpu **link = find(vcpu);

	if (!*link)
		return; /* detached already */
	*link = vcpu->next_attached;
	vm_work_leave(vcpu);
	timerq_stop(&vcpu->doorbell_timer);
	if (vcpu->index == 0) {
		timerq_stop(&vcpu->vm->limit_timer);
		timerq_stop(&vcpu->vm->heartbeat);
		timerq_stop(&vcpu->vm->net_rest);
	}
	vppi_put();
	vgic_reset(&vcpu->vgic, 0, false);
	fp_remove(&vcpu->fp);
}

static inline __attribute__((always_inline)) void follow_one(struct vcpu *vcpu, bool paused)
{
	if (!paused)
		sched_resume(vcpu);
	else if (vcpu->state != VCPU_STATE_OFF)
		sched_pause(vcpu);
}

void vm_core_follow(void *argument)
{
	struct vcpu *vcpu = argument;

	follow_one(vcpu, __atomic_load_n(&vcpu->vm->paused, __ATOMIC_ACQUIRE));
}

void vm_core_off(struct vcpu *vcpu)
{
	cpu_guest_off();
	vcntp_reset(vcpu);
	gic_virt_cpu_reset();
}

/* --- requests of other cores --- */

static __cold void follow_end(struct vcpu *vcpu, enum vm_outcome outcome)
{
	if (outcome == VM_RESET || outcome == VM_LEAVING)
		vm_work_follow(vcpu);
	else if (vcpu->vm->fault.vcpu == vcpu)
		vm_work_report(vcpu);
	else
		sched_remove(vcpu);
}

/* Other cores also post to a vCPU that is off: an SPI with another target now leaves it. */
static void follow_off(struct vcpu *vcpu)
{
	uint32_t power = __atomic_load_n(&vcpu->power, __ATOMIC_ACQUIRE);

	if (power == VCPU_STARTING && !vcpu->vm->paused)
		vm_work_turn_on(vcpu);
	else if (power == VCPU_OFF && vcpu->vgic.posted.kinds)
		vm_work_posts(vcpu);
}

__attribute__((noinline)) void vm_core_process(void)
{
	/* bound: CORE_VCPUS */
	for (struct vcpu *vcpu = attached; vcpu; vcpu = vcpu->next_attached) {
		enum vm_outcome outcome = vm_outcome(vcpu->vm);

		if (outcome != VM_RUNNING)
			follow_end(vcpu, outcome);
		else if (vcpu->state == VCPU_STATE_OFF)
			follow_off(vcpu);
		else
			vm_core_follow(vcpu);
	}
}

/* Follow the state of a VM, which has at least one vCPU; a core has at most one of them. */
static inline __attribute__((always_inline)) void follow(struct vm *vm, bool paused)
{
	struct vcpu *here = NULL;
	unsigned n = 0;

	/* bound: VCPU_MAX */
	do {
		struct vcpu *vcpu = vm->vcpu[n];

		if (vcpu->core != smp_core())
			smp_ask(vcpu->core);
		else
			here = vcpu;
	} while (++n < vm->vcpu_count);
	if (!here)
		return;
	if (!paused && here->power == VCPU_STARTING)
		sched_leave(); /* the core's loop starts it */
	else
		follow_one(here, paused);
}

/*
 * Change the two VMs in this order, so that two VMs that fail over to each other at once do not
 * both stop.
 */
bool vm_fail_over(struct vm *vm)
{
	struct vm *partner = vm->machine->partner;

	if (!partner || vm_outcome(partner) != VM_RUNNING)
		return false;
	__atomic_store_n(&vm->paused, true, __ATOMIC_SEQ_CST);
	__atomic_store_n(&partner->paused, false, __ATOMIC_SEQ_CST);
	follow(partner, false);
	follow(vm, true);
	return true;
}

bool vm_fault_fails_over(struct vcpu *vcpu, enum fault_reason reason, ipa_t ipa)
{
	struct vm *vm = vcpu->vm;

	if (!vm_fail_over(vm))
		return false;
	vm->faults = (struct vm_faults){
		.count = vm->faults.count + 1,
		.reason = reason,
		.pc = read_elr_el2(),
		.ipa = ipa,
	};
	return true;
}

void vm_heartbeat_is_late(struct timer *heartbeat)
{
	STAMP(fails_over, probe_read());
	vm_fail_over((struct vm *)((char *)heartbeat - offsetof(struct vm, heartbeat)));
	STAMP(paused, probe_read());
}

struct vcpu *vm_core_kicked(unsigned kick)
{
	struct vcpu *vcpu = attached;

	/* bound: CORE_VCPUS */
	while (vcpu && vcpu->vm->machine->kick_intid != kick)
		vcpu = vcpu->next_attached;
	return vcpu;
}

struct vcpu *vm_core_owner(unsigned intid)
{
	struct vcpu *vcpu = intid < VIRQ_COUNT ? attached : NULL;

	if (intid < GIC_PRIVATE_COUNT)
		return vppi_owner(intid);
	/* bound: CORE_VCPUS */
	while (vcpu && !vgic_routes(&vcpu->vgic, intid))
		vcpu = vcpu->next_attached;
	return vcpu;
}
