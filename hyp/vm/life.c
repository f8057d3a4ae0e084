/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/life.h"

#include "arch/cache.h"
#include "arch/counter.h"
#include "hyp/arch/guest.h"
#include "hyp/base/clock.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm_cores.h"
#include "hyp/vm/vm_gic.h"

/* Level 2 for 4 GiB, and level 3 for 1 GiB of guest RAM in 4 KiB pages and the devices. */
#define STAGE2_POOL_PAGES (4u + 512u + 4u)

static pte_t stage2_root[PTE_COUNT] __attribute__((aligned(PAGE_SIZE)));
static uint8_t stage2_pages[STAGE2_POOL_PAGES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static struct page_pool stage2_pool = { .base = stage2_pages[0], .count = STAGE2_POOL_PAGES };
static struct vcpu_space vcpu_space[VCPU_MAX];

struct vm vm_under_test = {
	.vmid = 1,
	.vcpu_count = 1,
	.stage2 = { .table = { .pool = &stage2_pool } }, /* hyp/mem/cold.c: natively, too */
	.vcpu = { &vcpu_space[0].vcpu, &vcpu_space[1].vcpu, &vcpu_space[2].vcpu,
		  &vcpu_space[3].vcpu },
	.core = { 0, 1, 2, 3 },
};

_Static_assert(VCPU_MAX == 4, "vm_under_test names as many");

/* --- create --- */

/* fill=lazy: pages for all the tables that guest RAM can take are there before the guest starts, so
 * that no fault of its finds the pool empty. */
static bool lazy_has_tables(const struct vm_machine *machine)
{
	ipa_t first = machine->ram;
	ipa_t last = machine->ram + machine->ram_size - 1;
	uint64_t tables = (last >> LPAE_SHIFT(2)) - (first >> LPAE_SHIFT(2)) + 1 +
			  (last >> LPAE_SHIFT(1)) - (first >> LPAE_SHIFT(1)) + 1;

	return tables <= stage2_pool.count - stage2_pool.used;
}

static bool build_stage2(struct vm *vm)
{
	const struct run_config *config = vm->config;
	const struct vm_machine *machine = vm->machine;
	bool lazy = config->fill == FILL_LAZY;
	uint64_t start = counter_read();

	vm->region_count = 0;
	vm->region[0].size = 0;
	if (config->stage2 == STAGE2_OFF) {
		stage2_lazy_begin(&vm->lazy, NULL, 0, 0, 0);
		return true;
	}
	stage2_reset(&vm->stage2, vm->vmid, (enum stage2_grain)config->stage2, &stage2_pool,
		     stage2_root);
	if (!lazy && !vm_map(vm, machine->ram, machine->ram_pa, machine->ram_size, STAGE2_NORMAL))
		return false;
	if (!vm_gic_add(vm) || !vm->type->add_devices(vm))
		return false;
	stage2_lazy_begin(&vm->lazy, lazy ? &vm->stage2 : NULL, machine->ram, machine->ram_size,
			  counter_read() - start);
	vm->lazy.to_pa = machine->ram_pa - machine->ram;
	return !lazy || lazy_has_tables(machine);
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

void vm_create(struct vm *vm, const struct run_config *config, const struct vm_machine *machine)
{
	vm->config = config;
	vm->machine = machine;
	vm->type = machine->type;
	vm->outcome = VM_RUNNING;
	vm->smc_count = 0;
	vm->resets = 0;
	vm->rom_writes = 0;
	vm->vcpu_count = machine->cpus;
	vm_name_vcpus(vm);
	errata_use(config, stage2_empty_vttbr());
}

/* --- run --- */

/* From what the last guest left to where this one can start. */
static void reset(struct vm *vm)
{
	vm->outcome = VM_RUNNING;
	vm->booted = false;
	gic_cpu_abandon();
	gic_dist_reset();
	vgicd_reset(&vm->dist);
	vm->type->reset(vm);
	icache_invalidate_all();
	vm_cores_begin(vm);
}

/* No limit is one that the counter never reaches. */
static uint64_t limit_from(uint64_t start, uint32_t limit_ms)
{
	return limit_ms ? start + (uint64_t)clock_hz() * limit_ms / 1000 : UINT64_MAX / 2;
}

/* A guest that restarts for ever is known by its records: of its 1st, 2nd, 4th, 8th ... restart. */
static void count_restart(struct vm *vm)
{
	vm->resets++;
	if ((vm->resets & (vm->resets - 1)) != 0)
		return;
	vm->type->stopped(vm);
	record_open_vcpu(RECORD_CHECK, vm->name, 0);
	record_string("variant", "resets");
	record_raw(",\"ok\":true", 10);
	record_u64("count", vm->resets);
	record_close();
}

/* The VM is as its configuration says; else it is refused, with the reason in an error record. */
static bool can_be_built(struct vm *vm)
{
	const char *why = gic_refuses(vm->config);

	if (!why && !build_stage2(vm))
		why = "its memory needs more stage-2 tables than there are";
	if (!why)
		return true;
	record_error("guest", why);
	vm->outcome = VM_REFUSED;
	return false;
}

uint64_t vm_run(struct vm *vm, uint32_t limit_ms)
{
	uint64_t start;
	uint64_t end;

	if (!can_be_built(vm))
		return 0;
	reset(vm);
	start = counter_read();
	vm_cores_run(vm, limit_from(start, limit_ms));
	while (vm->outcome == VM_RESET) {
		uint64_t stopped = counter_read();

		count_restart(vm);
		start += counter_read() - stopped; /* printing is no part of the step */
		reset(vm);
		vm_cores_run(vm, limit_from(start, limit_ms));
	}
	end = counter_read();

	cpu_guest_off();
	vm->type->stopped(vm);
	if (vm->outcome == VM_RUNNING) /* the background VM was stopped: no result counts */
		vm->outcome = VM_FAULT;
	return end - start;
}
