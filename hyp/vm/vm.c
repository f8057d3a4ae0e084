/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm.h"

#include "arch/cache.h"
#include "arch/counter.h"
#include "boards/board.h"
#include "drivers/timer/timer.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/clock.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/cpu/errata.h"
#include "hyp/cpu/smp.h"
#include "hyp/run/background.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm_cores.h"

#define GICC_SIZE 0x2000u /* bytes: GICC_DIR lies in the second page */
/* Of the hypervisor's own interrupts. CNTHP's comes before the maintenance interrupt, which has the
 * lower INTID: a step gets to its time limit even if that one is signalled for ever. */
#define HYP_PRIORITY 0x00u
#define MAINTENANCE_PRIORITY 0x10u

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

struct fault {
	const struct vcpu *vcpu;
	enum fault_reason reason;
	uint32_t esr;
	reg_t pc;
	va_t va;
	ipa_t ipa;
};

static bool has(const struct mmio_region *region, ipa_t ipa)
{
	return ipa - region->base < region->size;
}

static const char *what_is_at(const struct vm *vm, ipa_t ipa)
{
	struct pagetable_leaf leaf;

	for (unsigned i = 0; i < vm->region_count; i++)
		if (has(&vm->region[i], ipa))
			return vm->region_name[i];
	if (has(&vm->dir, ipa))
		return "CPU interface";
	if (!stage2_walk(&vm->stage2, ipa, &leaf))
		return "nothing";
	if ((leaf.attributes & S2_AP_RW) == S2_AP_RO)
		return "flash";
	return (leaf.attributes & S2_MEMATTR_NORMAL) == S2_MEMATTR_DEVICE ? "device" : "RAM";
}

/* On the core of vCPU 0, which has the console while the VM runs. */
static void emit_fault(struct vcpu *first, void *argument)
{
	const struct fault *fault = argument;
	const struct vm *vm = first->vm;
	static const char *const name[] = {
#define X(NAME, text) [FAULT_##NAME] = text,
		FAULT_REASONS(X)
#undef X
	};

	record_open(RECORD_FAULT);
	record_string("reason", name[fault->reason]);
	record_hex("class", fault->esr >> 26 & 0x3f);
	record_hex("esr", fault->esr);
	record_hex("pc", fault->pc);
	record_hex("va", fault->va);
	record_hex("ipa", fault->ipa);
	if (vm->config->sched != SCHED_NULL)
		record_u64("vm", vm->vmid);
	record_u64("vcpu", fault->vcpu->index);
	if (fault->reason <= FAULT_MMIO_THUMB_STORE)
		record_string("at", what_is_at(vm, fault->ipa));
	record_close();
}

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	struct vm *vm = vcpu->vm;
	struct fault fault = {
		.vcpu = vcpu,
		.reason = reason,
		.esr = esr,
		.pc = sched_is_running(vcpu) ? read_elr_el2() : vcpu->elr,
		.va = va,
		.ipa = ipa,
	};

	if (!vm_end(vm, VM_FAULT) && vm->vcpu_count > 1)
		return; /* another vCPU has ended it meanwhile */
	vm->outcome = VM_FAULT;
	smp_call(vm->vcpu[0], emit_fault, &fault);
}

void vm_add_region(struct vm *vm, const char *name, struct mmio_region region)
{
	if (vm->region_count == VM_REGION_MAX)
		panic("too many emulated devices");
	vm->region_name[vm->region_count] = name;
	vm->region[vm->region_count++] = region;
}

bool vm_map(struct vm *vm, ipa_t ipa, pa_t pa, uint64_t size, enum stage2_memory memory)
{
	return stage2_map(&vm->stage2, ipa, pa, size, memory);
}

/* The real GIC, where the guest looks for it. */
static bool map_gic(struct vm *vm, const struct gic_bases *at)
{
	if (at->cpu)
		return vm_map(vm, at->dist, board.gic.dist, PAGE_SIZE, STAGE2_DEVICE);
	return vm_map(vm, at->dist, board.gic.dist, VGICD_SIZE, STAGE2_DEVICE) &&
	       vm_map(vm, at->redist, board.gic.redist, (uint64_t)VGICR_SIZE * vm->machine->cpus,
		      STAGE2_DEVICE);
}

static void emulate_gic(struct vm *vm, const struct gic_bases *at)
{
	vm_add_region(vm, "distributor",
		      (struct mmio_region){ at->dist, VGICD_SIZE, vgicd_read, vgicd_write });
	if (!at->cpu)
		vm_add_region(vm, "redistributor",
			      (struct mmio_region){ at->redist,
						    (uint64_t)VGICR_SIZE * vm->machine->cpus,
						    vgicr_read, vgicr_write });
}

/* The GIC as this configuration shows it: the two stage-2 entries (or emulated regions) that
 * differ between direct and trapped. */
static bool add_gic(struct vm *vm, bool trapped)
{
	const struct gic_bases *at = &vm->machine->gic;

	if (at->cpu && !vm_map(vm, at->cpu, gic_guest_cpu_pa(!trapped), GICC_SIZE, STAGE2_DEVICE))
		return false;
	if (!trapped)
		return map_gic(vm, at);
	emulate_gic(vm, at);
	return true;
}

static void add_dir_page(struct vm *vm)
{
	const struct gic_bases *at = &vm->machine->gic;

	if (vm->config->irq == IRQ_TRAPPED && at->cpu)
		vm->dir = (struct mmio_region){ at->cpu + PAGE_SIZE, VGICD_DIR_SIZE, vgicd_dir_read,
						vgicd_dir_write };
}

/*
 * From now on this vCPU's GICC_DIR is emulated. Its page is not mapped again before the next start,
 * so each core that needs it gone makes sure of that for itself, once, whoever was first, and
 * whatever vCPU 0's core changes elsewhere in stage 2 meanwhile. Not by a smp_call(): who waits
 * for another core serves, and the virtual GIC is in the midst of something.
 */
static void trap_deactivations(struct vgic *vgic)
{
	struct vcpu *vcpu = (struct vcpu *)((char *)vgic - offsetof(struct vcpu, vgic));

	vgic->trap_deactivations = NULL;
	if (vcpu->vm->dir.size)
		stage2_drop_page(&vcpu->vm->stage2, vcpu->vm->dir.base);
}

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
	vm->dir.size = 0;
	if (config->stage2 == STAGE2_OFF) {
		stage2_lazy_begin(&vm->lazy, NULL, 0, 0, 0);
		return true;
	}
	add_dir_page(vm);
	stage2_reset(&vm->stage2, vm->vmid, (enum stage2_grain)config->stage2, &stage2_pool,
		     stage2_root);
	if (!lazy && !vm_map(vm, machine->ram, machine->ram_pa, machine->ram_size, STAGE2_NORMAL))
		return false;
	if (!add_gic(vm, config->irq == IRQ_TRAPPED) || !vm->type->add_devices(vm))
		return false;
	stage2_lazy_begin(&vm->lazy, lazy ? &vm->stage2 : NULL, machine->ram, machine->ram_size,
			  counter_read() - start);
	vm->lazy.to_pa = machine->ram_pa - machine->ram;
	return !lazy || lazy_has_tables(machine);
}

static void forward(struct vcpu *vcpu, unsigned intid)
{
	if (!vgic_forward(&vcpu->vgic, intid))
		panic("the board's struct forwards an interrupt that no guest can have");
}

static void forward_spis(struct vcpu *vcpu)
{
	const struct vm_machine *machine = vcpu->vm->machine;

	for (unsigned i = 0; i < machine->spi_count; i++) {
		gic_route_spi_here(machine->spi_first + i);
		forward(vcpu, machine->spi_first + i);
	}
}
static void enable_own(unsigned intid, uint8_t priority)
{
	gic_set_priority(intid, priority);
	gic_enable(intid);
}

void vm_reset_core_gic(struct vcpu *vcpu)
{
	bool trapped = vcpu->vm->config->irq == IRQ_TRAPPED;
	unsigned lr_count = gic_virt_init();

	gic_cpu_init(trapped);
	vgic_reset(&vcpu->vgic, lr_count, vcpu->vm->config->lr == LR_HW);
	vcpu->vgic.trap_deactivations = trap_deactivations;
	gic_virt_reset();
	if (vcpu->vm->vcpu_count > 1)
		enable_own(SMP_KICK_SGI, HYP_PRIORITY);
	if (!trapped) {
		gic_virt_off();
		return;
	}
	forward(vcpu, board.virt_timer_intid);
	if (vcpu->vm->config->cntp == CNTP_PASSTHROUGH)
		forward(vcpu, board.phys_timer_intid);
	if (board.pmu_intid)
		forward(vcpu, board.pmu_intid);
	if (vcpu->index == 0)
		forward_spis(vcpu);
	enable_own(board.maintenance_intid, MAINTENANCE_PRIORITY);
	enable_own(board.hyp_timer_intid, HYP_PRIORITY);
}

/* From what the last guest left to where this one can start. */
static void reset(struct vm *vm)
{
	vm->outcome = VM_RUNNING;
	vm->booted = false;
	gic_cpu_abandon();
	gic_dist_reset();
	vgicd_reset(vm);
	vm->type->reset(vm);
	icache_invalidate_all();
	vm_cores_begin(vm);
}

void vm_name_vcpus(struct vm *vm)
{
	for (unsigned n = 0; n < vm->vcpu_count; n++) {
		vm->vcpu[n]->vm = vm;
		vm->vcpu[n]->index = n;
		vm->vcpu[n]->core = vm->core[n];
		vm->vcpu[n]->traps = vm->type->traps;
		vm->vcpu[n]->hypercalls = vm->type->hypercalls;
	}
}

static void prepare(struct vm *vm, const struct run_config *config,
		    const struct vm_machine *machine)
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
	errata_use(config);
	exit_stats_reset(config);
	exit_stats_gather(vm->vcpu, 1);
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
	record_open(RECORD_CHECK);
	record_string("variant", "resets");
	record_raw(",\"ok\":true", 10);
	record_u64("count", vm->resets);
	record_close();
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

uint64_t vm_run(struct vm *vm, const struct run_config *config, const struct vm_machine *machine,
		uint32_t limit_ms)
{
	uint64_t start;
	uint64_t end;

	prepare(vm, config, machine);
	vm->other = config->sched != SCHED_NULL ? background_prepare(vm) : NULL;
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

	timer_hyp_stop();
	cpu_guest_off();
	vm->type->stopped(vm);
	if (vm->outcome == VM_RUNNING) /* the background VM was stopped: no result counts */
		vm->outcome = VM_FAULT;
	return end - start;
}
