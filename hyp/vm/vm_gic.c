/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_gic.h"

#include "boards/board.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/vgicd.h"
#include "lib/percpu.h"

#define GICC_SIZE 0x2000u /* bytes: the second page has GICC_DIR */

/* CNTHP's interrupt has precedence over the maintenance interrupt, which has the lower INTID: a
 * step reaches its time limit even if the maintenance interrupt is signalled for ever. */
#define HYP_PRIORITY 0x00u
#define MAINTENANCE_PRIORITY 0x10u
#define KICK_PRIORITY 0xa0u
#define CONTINUE_PRIORITY 0xe0u /* the lowest priority that PMR passes if a GIC has four bits */

/* --- the GIC in stage 2 --- */

/* Add a part of the GIC: the physical part, or an emulated one. */
static bool add_part(struct vm *vm, pa_t pa, struct mmio_region region)
{
	if (vm->config->irq != IRQ_TRAPPED)
		return vm_map(vm, region.base, pa, region.size, STAGE2_DEVICE);
	vm_add_region(vm, region);
	return true;
}

static bool add_cpu_interface(struct vm *vm, uintptr_t at)
{
	bool trapped = vm->config->irq == IRQ_TRAPPED, dir = trapped && vm->type->traps_dir;

	if (dir)
		vm_add_region(vm, (struct mmio_region){ at + PAGE_SIZE, VGICD_DIR_SIZE,
							.read = vgicd_dir_read, vgicd_dir_write,
							NULL, "CPU interface" });
	return vm_map(vm, at, gic_guest_cpu_pa(!trapped), dir ? PAGE_SIZE : GICC_SIZE,
		      STAGE2_DEVICE);
}

/* Each vCPU has the distributor's address and size, for the short paths of trap.c. */
static bool add_distributor(struct vm *vm, struct mmio_region region)
{
	bool emulated = vm->config->irq == IRQ_TRAPPED;

	for (unsigned n = 0; emulated && n < vm->vcpu_count; n++) {
		vm->vcpu[n]->gicd_base = region.base;
		vm->vcpu[n]->gicd_size = region.size;
		vm->vcpu[n]->devices = &vm->region[1];
	}
	return add_part(vm, board.gic.dist, region);
}

bool vm_gic_add(struct vm *vm)
{
	const struct gic_bases *at = &vm->machine->gic;
	uint32_t redist_size = VGICR_SIZE * vm->machine->cpus;
	bool direct_v2 = at->cpu && vm->config->irq != IRQ_TRAPPED;

	return add_distributor(
		       vm, (struct mmio_region){ at->dist, direct_v2 ? PAGE_SIZE : VGICD_SIZE,
						 vgicd_read, vgicd_write, NULL, "distributor" }) &&
	       (at->cpu ? add_cpu_interface(vm, at->cpu)
			: add_part(vm, board.gic.redist,
				   (struct mmio_region){ at->redist, redist_size,
							 .read = vgicr_read, vgicr_write, NULL,
							 "redistributor" }));
}

/* --- the GIC of a vCPU and of a core --- */

#define SPIS_AT_ONCE 16u /* SPIs in one piece */

static unsigned lr_count PERCPU;

static void forward(struct vcpu *vcpu, unsigned intid)
{
	if (!vgic_forward(&vcpu->vgic, intid))
		panic("the board's struct forwards an interrupt that no guest can have");
}

static void forward_spi(struct vcpu *vcpu, unsigned intid)
{
	gic_route_spi_here(intid);
	forward(vcpu, intid);
}

static void enable_own(unsigned intid, uint8_t priority)
{
	gic_set_priority(intid, priority);
	gic_enable(intid);
}

static void take_link(struct vcpu *vcpu)
{
	const struct vm_machine *machine = vcpu->vm->machine;

	if (machine->link_intid)
		forward_spi(vcpu, machine->link_intid);
	if (machine->kick_intid) {
		gic_route_spi_here(machine->kick_intid);
		gic_set_edge(machine->kick_intid, true);
		enable_own(machine->kick_intid, KICK_PRIORITY);
	}
}

/* Forward all interrupts but the machine's own SPIs. */
static void forward_others(struct vcpu *vcpu)
{
	forward(vcpu, board.virt_timer_intid);
	if (vcpu->vm->config->cntp == CNTP_PASSTHROUGH)
		forward(vcpu, board.phys_timer_intid);
	if (board.pmu_intid)
		forward(vcpu, board.pmu_intid);
	if (vcpu->index == 0)
		take_link(vcpu);
}

void vm_gic_reset_core(const struct run_config *config)
{
	bool trapped = config->irq == IRQ_TRAPPED;

	vppi_put();
	gic_cpu_abandon();
	gic_private_reset();
	lr_count = gic_virt_init();
	gic_cpu_init(trapped);
	gic_virt_reset();
	gic_virt_off();
	if (!trapped)
		return;
	enable_own(SMP_KICK_SGI, HYP_PRIORITY);
	enable_own(SMP_CONTINUE_SGI, CONTINUE_PRIORITY);
	enable_own(board.maintenance_intid, MAINTENANCE_PRIORITY);
	enable_own(board.hyp_timer_intid, HYP_PRIORITY);
}

/* Forward some SPIs. vCPU 0 has the SPIs at first. */
static bool forward_some_spis(struct vcpu *vcpu, unsigned from)
{
	const struct vm_machine *machine = vcpu->vm->machine;
	unsigned count = vcpu->index == 0 ? machine->spi_count : 0;

	if (from >= count)
		return false;
	/* bound: SPIS_AT_ONCE */
	for (unsigned i = from; i < count && i < from + SPIS_AT_ONCE; i++)
		forward_spi(vcpu, machine->spi_first + i);
	return true;
}

/* Reset the physical GIC of a guest that owned the core's GIC, with no other VM beside it. */
static void reset_real_gic(const struct run_config *config)
{
	gic_cpu_abandon();
	gic_dist_reset();
	vm_gic_reset_core(config);
	gic_virt_reset();
	gic_virt_off();
}

bool vm_gic_reset_piece(struct vcpu *vcpu, unsigned piece)
{
	const struct run_config *config = vcpu->vm->config;
	bool trapped = config->irq == IRQ_TRAPPED;

	if (piece < VGIC_RESET_PIECES) {
		vgic_reset_piece(&vcpu->vgic, piece, lr_count,
				 config->lr == LR_HW && !vcpu->vm->machine->unlinked);
		return true;
	}
	if (trapped && forward_some_spis(vcpu, (piece - VGIC_RESET_PIECES) * SPIS_AT_ONCE))
		return true;
	vcpu->active_ppis = 0;
	if (trapped) {
		gic_virt_reset();
		forward_others(vcpu);
	} else {
		reset_real_gic(config);
	}
	gic_virt_save(&vcpu->gic);
	return false;
}

void vm_gic_reset_vcpu(struct vcpu *vcpu)
{
	for (unsigned piece = 0; vm_gic_reset_piece(vcpu, piece); piece++)
		;
}

bool vm_gic_send_on(uint32_t iar)
{
	/* bound: VM_MAX */
	for (unsigned i = 0; i < VM_MAX; i++)
		if (vm_outcome(&vms[i]) == VM_RUNNING && vgicd_send_on(vms[i].vcpu[0], iar))
			return true;
	return false;
}

static void release_spi(unsigned intid)
{
	gic_disable(intid);
	gic_clear_pending(intid);
	gic_deactivate(intid);
	gic_set_edge(intid, false);
}

static void release_link(const struct vm_machine *machine)
{
	if (machine->link_intid)
		release_spi(machine->link_intid);
	if (machine->kick_intid)
		release_spi(machine->kick_intid);
}

bool vm_gic_release_piece(const struct vm *vm, unsigned piece)
{
	const struct vm_machine *machine = vm->machine;
	unsigned from = piece * SPIS_AT_ONCE;

	/* bound: SPIS_AT_ONCE */
	for (unsigned i = from; i < machine->spi_count && i < from + SPIS_AT_ONCE; i++)
		release_spi(machine->spi_first + i);
	if (from < machine->spi_count)
		return true;
	release_link(machine);
	return false;
}

void vm_gic_release(const struct vm *vm)
{
	for (unsigned piece = 0; vm_gic_release_piece(vm, piece); piece++)
		;
}
