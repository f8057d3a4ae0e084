/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/life.h"

#include "arch/cache.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_build.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_gic.h"

static void on_each_core(const struct vm *vm, void (*fn)(void *vcpu))
{
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		smp_call(vm->vcpu[n]->core, fn, vm->vcpu[n]);
}

/* --- create --- */

void vms_reset(const struct run_config *run, const struct run_config *others, unsigned core_count)
{
	errata_use(run, stage2_empty_vttbr());
	gic_cpu_abandon();
	gic_dist_reset();
	for (unsigned core = 0; core < core_count; core++)
		smp_call(core, vm_core_reset, (void *)(uintptr_t)(core ? others : run));
}

static void make_vcpu(struct vm *vm, unsigned n, const struct vm_config *config)
{
	struct vcpu *vcpu = &config->space[n].vcpu;

	*vcpu = (struct vcpu){
		.vm = vm,
		.index = n,
		.core = config->core[n],
		.priority = (uint8_t)config->priority,
		.traps = vm->type->traps,
		.hypercalls = vm->type->hypercalls,
		.devices = vm->region,
	};
	vgic_reset(&vcpu->vgic, 0, false);
	vm->vcpu[n] = vcpu;
}

/* Return why this board's GIC cannot handle a guest's interrupts by this configuration, or NULL. */
static const char *gic_refuses(const struct run_config *config)
{
	if (gic_splits_ends())
		return NULL;
	if (config->eoi == EOI_SPLIT)
		return "this board's GIC has no EOImode and no DIR: only eoi=combined";
	if (config->irq == IRQ_TRAPPED && config->lr == LR_HW)
		return "this board's GIC has no list registers linked to physical interrupts: "
		       "only lr=sw (preset trapped-sw)";
	return NULL;
}

bool vm_create(struct vm *vm, const struct vm_config *config)
{
	const char *why = gic_refuses(config->run);

	*vm = (struct vm){
		.name = config->name,
		.type = config->machine->type,
		.config = config->run,
		.machine = config->machine,
		.vmid = (uint8_t)(vm - vms + 1),
		.tables = config->tables,
		.outcome = VM_CREATED,
	};
	for (unsigned n = 0; n < config->machine->cpus; n++)
		make_vcpu(vm, n, config);
	vm->vcpu_count = config->machine->cpus;
	vgicd_init(&vm->dist, vm->vcpu, vm->vcpu_count);
	if (!why && !vm_build(vm))
		why = "its memory needs more stage-2 tables than there are";
	if (!why)
		return true;
	record_error("guest", why);
	vm->outcome = VM_REFUSED;
	return false;
}

/* --- start to end --- */

void vm_start(struct vm *vm, uint64_t limit)
{
	enum vm_outcome before = vm_outcome(vm);

	vm->limit = limit;
	vm->started = true;
	vm->paused = false;
	record_lock();
	guest_record_forget(vm);
	record_unlock();
	vm_begin_life(vm);
	vgicd_reset(&vm->dist);
	while (vm->type->reset(vm))
		;
	icache_invalidate_all();
	on_each_core(vm, vm_core_attach);
	vm_begin_run(vm, before);
}

static void ask_each_core(const struct vm *vm)
{
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		smp_ask(vm->vcpu[n]->core);
}

void vm_pause(struct vm *vm)
{
	__atomic_store_n(&vm->paused, true, __ATOMIC_SEQ_CST);
	ask_each_core(vm);
}

void vm_resume(struct vm *vm)
{
	__atomic_store_n(&vm->paused, false, __ATOMIC_SEQ_CST);
	ask_each_core(vm);
}

static void end_life(struct vm *vm)
{
	enum vm_outcome running = VM_RUNNING;

	__atomic_compare_exchange_n(&vm->outcome, &running, VM_CREATED, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

void vm_halt(struct vm *vm)
{
	end_life(vm);
	ask_each_core(vm);
}

/* A VM that restarts may run again until its vCPUs are detached. */
void vm_stop(struct vm *vm)
{
	if (!vm->started)
		return;
	vm->started = false;
	if (vm->config->irq != IRQ_TRAPPED)
		gic_dist_reset(); /* the guest owned the distributor and may have turned it off */
	end_life(vm);
	on_each_core(vm, vm_core_detach);
	end_life(vm);
	vm_gic_release(vm);
	vm->type->stopped(vm);
}

void vm_destroy(struct vm *vm)
{
	vm_stop(vm);
	vm_unmap_all(vm);
	vm->outcome = VM_ABSENT;
}
