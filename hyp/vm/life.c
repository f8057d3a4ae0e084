/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/life.h"

#include "arch/cache.h"
#include "arch/counter.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_clock.h"
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

/* fill=lazy: pages for all the tables that guest RAM can take are there before the guest starts, so
 * that no fault of its finds the pool empty. */
static bool lazy_has_tables(const struct vm *vm)
{
	const struct vm_machine *machine = vm->machine;
	ipa_t first = machine->ram.base;
	ipa_t last = machine->ram.base + machine->ram.size - 1;
	uint64_t tables = (last >> LPAE_SHIFT(2)) - (first >> LPAE_SHIFT(2)) + 1 +
			  (last >> LPAE_SHIFT(1)) - (first >> LPAE_SHIFT(1)) + 1;

	return tables <= vm->tables.count - vm->tables.used;
}

static bool map_ram(struct vm *vm)
{
	const struct guest_ram *ram = &vm->machine->ram;
	struct ram_span span = { .ipa = ram->base, .left = (size_t)ram->size };

	while (ram_next(ram, &span))
		if (!vm_map(vm, span.ipa, (uintptr_t)span.at, span.size, STAGE2_NORMAL))
			return false;
	return true;
}

static bool map(struct vm *vm, bool lazy)
{
	if (!lazy && !map_ram(vm))
		return false;
	if (!vm->type->no_gic && !vm_gic_add(vm))
		return false;
	return vm->type->add_devices(vm) && (!lazy || lazy_has_tables(vm));
}

/* A VM without RAM has but a page or two. */
static enum stage2_grain vm_grain(const struct vm *vm)
{
	return vm->machine->ram.size ? (enum stage2_grain)vm->config->stage2 : STAGE2_4K;
}

static bool build_stage2(struct vm *vm)
{
	const struct guest_ram *ram = &vm->machine->ram;
	bool lazy = vm->config->fill == FILL_LAZY && ram->size;
	uint64_t start = counter_read();
	bool done;

	if (!vm_has_stage2(vm))
		return true;
	stage2_reset(&vm->stage2, vm->vmid, vm_grain(vm), &vm->tables, vm->stage2_root);
	done = map(vm, lazy);
	stage2_lazy_begin(&vm->lazy, lazy ? &vm->stage2 : NULL, ram, counter_read() - start);
	return done;
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
	};
	vm->vcpu[n] = vcpu;
}

/* Why this board's GIC cannot have a guest's interrupts so, or NULL. */
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
	if (!why && !build_stage2(vm))
		why = "its memory needs more stage-2 tables than there are";
	if (!why)
		return true;
	record_error("guest", why);
	vm->outcome = VM_REFUSED;
	return false;
}

/* --- from then on --- */

void vm_start(struct vm *vm, uint64_t limit)
{
	enum vm_outcome before = vm_outcome(vm);

	vm->limit = limit;
	vm->started = true;
	vm->paused = false;
	vm_begin_life(vm);
	vgicd_reset(&vm->dist);
	while (vm->type->reset(vm))
		;
	icache_invalidate_all();
	on_each_core(vm, vm_core_attach);
	vm_begin_run(vm, before);
}

void vm_pause(struct vm *vm)
{
	vm_set_paused(vm, true);
	on_each_core(vm, vm_core_follow);
}

void vm_resume(struct vm *vm)
{
	vm_set_paused(vm, false);
	on_each_core(vm, vm_core_follow);
	for (unsigned n = 0; n < vm->vcpu_count; n++)
		smp_ask(vm->vcpu[n]->core); /* one that PSCI started meanwhile */
}

static void end_life(struct vm *vm)
{
	enum vm_outcome running = VM_RUNNING;

	__atomic_compare_exchange_n(&vm->outcome, &running, VM_CREATED, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

/* A VM that starts again may come to run until its vCPUs are detached. */
void vm_stop(struct vm *vm)
{
	if (!vm->started)
		return;
	vm->started = false;
	if (vm->config->irq != IRQ_TRAPPED)
		gic_dist_reset(); /* its guest had it, and may have turned it off */
	end_life(vm);
	on_each_core(vm, vm_core_detach);
	end_life(vm);
	vm_gic_release(vm);
	vm->type->stopped(vm);
}

void vm_destroy(struct vm *vm)
{
	vm_stop(vm);
	if (vm_has_stage2(vm))
		stage2_reset(&vm->stage2, vm->vmid, vm_grain(vm), &vm->tables, vm->stage2_root);
	vm->outcome = VM_ABSENT;
}
