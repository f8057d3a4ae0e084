/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_cores.h"
#include "hyp/vcpu/vcntp.h"

#include "arch/barrier.h"
#include "arch/counter.h"
#include "arch/sysreg.h"
#include "arch/tlb.h"
#include "boards/board.h"
#include "hyp/arch/guest.h"
#include "hyp/arch/vectors.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/cpu/timerq.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/psci.h"
#include "hyp/vm/vm_gic.h"
#include "lib/percpu.h"
#include "lib/text.h"

#define MPIDR_RES1 (1u << 31) /* and U 0: one of several, as on QEMU's virt with one core, too */

static struct vcpu *own PERCPU; /* this core's, while it takes part in a VM */
static struct timer limit_timer PERCPU;

static bool is_over(const struct vm *vm)
{
	return __atomic_load_n(&vm->outcome, __ATOMIC_ACQUIRE) != VM_RUNNING;
}

bool vm_core_over(void)
{
	return own && is_over(own->vm);
}

static void kick_others(const struct vm *vm)
{
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		if (vm->vcpu[n]->core != smp_core())
			smp_kick(vm->vcpu[n]->core);
}

/* --- a vCPU is turned on --- */

/* It is off: nothing is signalled, and what comes from now on waits until it is on again. */
static void stop(struct vcpu *vcpu)
{
	cpu_guest_off();
	vcntp_reset(vcpu);
	gic_virt_cpu_reset();
	vgicd_reset_private(vcpu); /* SPIs keep their state */
	__atomic_store_n(&vcpu->power, VCPU_OFF, __ATOMIC_RELEASE);
}

static void limit_reached(struct timer *timer)
{
	(void)timer;
	vm_fault(own, FAULT_TIME_LIMIT, 0, 0, 0);
	sched_leave();
}

/* The TLBs forget translations by registers of which some were the last guest's and some this
 * one's already (Cortex-A72 erratum 1319367). */
static void start_and_run(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	cpu_reset_guest(vcpu, vcpu->start_entry, vcpu->start_context);
	limit_timer.function = limit_reached;
	timerq_start(&limit_timer, vm->limit);
	fp_start((enum fp_mode)vm->config->fp, &vcpu->fp);
	sched_reset(vm->config);
	sched_add(vcpu);
	if (vm->other && vcpu->index == 0) {
		vm->other->el2.cntvoff_el2 = vcpu->el2.cntvoff_el2; /* which it does not look at */
		sched_add(vm->other);
	}
	vcpu_begin(vcpu);
	tlbi_core_guests();
	__atomic_store_n(&vcpu->power, VCPU_ON, __ATOMIC_RELEASE);
	if (!vm->booted) {
		vm->booted = true;
		vm->type->set_registers(vcpu);
		vm->type->starting();
	}
	vcpu_run(sched_begin());
	timerq_stop(&limit_timer);
	sched_leave();
	vtimer_stop(vcpu);
}

/* It is off. An interrupt is masked here, ends the WFI, and is taken as though it had come from the
 * guest: a kick above all, but an SPI may still be sent here. */
static void wait_off(struct vcpu *vcpu)
{
	wfi();
	trap_irq(vcpu);
}

/* Until the VM is at its end, whoever ends it. */
static void take_part(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	while (!is_over(vm)) {
		if (__atomic_load_n(&vcpu->power, __ATOMIC_ACQUIRE) == VCPU_STARTING) {
			start_and_run(vcpu);
			stop(vcpu);
		} else {
			wait_off(vcpu);
		}
	}
	kick_others(vm);
}

/* --- the cores beside core 0 --- */

static void wait_idle(void)
{
	uint32_t iar;

	wfi();
	iar = gic_ack();
	if (gic_intid(iar) < GIC_SPECIAL_BASE) {
		gic_eoi(iar);
		gic_deactivate(iar);
	}
	smp_process_calls();
}

/* The interface as core_main() left it, whatever the guest did with it. A kick that was pending is
 * gone then (GICv3): what it was for is done here. */
static void leave(void)
{
	struct vm *vm = own->vm;

	own = NULL;
	gic_virt_off();
	gic_cpu_abandon();
	gic_private_reset();
	gic_cpu_init(true);
	gic_enable(SMP_KICK_SGI);
	smp_process_calls();
	__atomic_fetch_sub(&vm->cores_in, 1, __ATOMIC_RELEASE);
	sev();
}

_Noreturn void vm_cores_wait(void)
{
	for (;;) {
		wait_idle();
		if (!own)
			continue;
		take_part(own);
		leave();
	}
}

/* Called by core 0, on the core of the vCPU. */
static void join(void *argument)
{
	struct vcpu *vcpu = argument;
	struct vm *vm = vcpu->vm;

	gic_cpu_abandon();
	gic_private_reset();
	vm_gic_reset_core(vcpu);
	gic_virt_cpu_reset();
	cpu_guest_el2(vcpu, vm->config);
	if (vm->type->numbered)
		vcpu->el2.vmpidr_el2 = MPIDR_RES1 | vcpu->index;
	vcpu->vttbr = vm->config->stage2 != STAGE2_OFF ? stage2_vttbr(&vm->stage2) : 0;
	own = vcpu;
}

/* --- core 0 --- */

void vm_cores_begin(struct vm *vm)
{
	vm->vcpus_on = 1;
	vm->cores_in = vm->vcpu_count - 1;
	for (unsigned n = 0; n < vm->vcpu_count; n++) {
		vm->vcpu[n]->power = VCPU_OFF;
		smp_call(vm->vcpu[n]->core, join, vm->vcpu[n]);
	}
}

void vm_cores_run(struct vm *vm, uint64_t limit)
{
	struct vcpu *first = vm->vcpu[0];

	vm->limit = limit;
	first->start_entry = vm->machine->entry;
	first->start_context = 0;
	if (vm->vcpu_count == 1) {
		start_and_run(first);
		return;
	}
	__atomic_store_n(&first->power, VCPU_STARTING, __ATOMIC_RELEASE);
	if (first != own)
		smp_kick(first->core);
	take_part(own);
	while (__atomic_load_n(&vm->cores_in, __ATOMIC_ACQUIRE))
		smp_wait();
}

static const char *too_few(unsigned cpus, unsigned cores)
{
	static char said[64];
	struct text text;

	text_init(&text, said, sizeof(said));
	text_string(&text, "the guest wants ");
	text_u64(&text, cpus);
	text_string(&text, " vCPUs, one a core: ");
	text_u64(&text, cores);
	text_string(&text, cores == 1 ? " core came" : " cores came");
	return text.at;
}

bool vm_cores_have(unsigned cpus, const struct run_config *config, const char **why)
{
	unsigned cores;

	if (cpus == 1)
		return true;
	*why = NULL;
	if (config->irq != IRQ_TRAPPED)
		*why = "several vCPUs need irq=trapped: no core gets at another one's guest else";
	else if (config->fill == FILL_LAZY)
		*why = "several vCPUs find all their memory mapped: fill=eager";
	else if ((cores = smp_boot_bring_up(cpus, vm_cores_wait)) < cpus)
		*why = too_few(cpus, cores);
	return *why == NULL;
}
