/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_gic.h"

#include "boards/board.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/vgicd.h"
#include "lib/percpu.h"

#define GICC_SIZE 0x2000u /* bytes: GICC_DIR lies in the second page */

/* CNTHP's interrupt comes before the maintenance interrupt, which has the lower INTID: a step
 * reaches its time limit even if the maintenance interrupt is signalled for ever. */
#define HYP_PRIORITY 0x00u
#define MAINTENANCE_PRIORITY 0x10u
#define KICK_PRIORITY 0xa0u

/* --- in stage 2 --- */

/* A part of the GIC: the real one, or emulated. */
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
		vm_add_region(vm,
			      (struct mmio_region){ at + PAGE_SIZE, VGICD_DIR_SIZE, vgicd_dir_read,
						    vgicd_dir_write, NULL, "CPU interface" });
	return vm_map(vm, at, gic_guest_cpu_pa(!trapped), dir ? PAGE_SIZE : GICC_SIZE,
		      STAGE2_DEVICE);
}

bool vm_gic_add(struct vm *vm)
{
	const struct gic_bases *at = &vm->machine->gic;
	uint64_t redist_size = (uint64_t)VGICR_SIZE * vm->machine->cpus;
	bool direct_v2 = at->cpu && vm->config->irq != IRQ_TRAPPED;

	return add_part(vm, board.gic.dist,
			(struct mmio_region){ at->dist, direct_v2 ? PAGE_SIZE : VGICD_SIZE,
					      vgicd_read, vgicd_write, NULL, "distributor" }) &&
	       (at->cpu ? add_cpu_interface(vm, at->cpu)
			: add_part(vm, board.gic.redist,
				   (struct mmio_region){ at->redist, redist_size, vgicr_read,
							 vgicr_write, NULL, "redistributor" }));
}

/* --- of a vCPU, and of a core --- */

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

/* vCPU 0 begins with the SPIs. */
static void forward_all(struct vcpu *vcpu)
{
	const struct vm_machine *machine = vcpu->vm->machine;
	unsigned spis = vcpu->index == 0 ? machine->spi_count : 0;

	forward(vcpu, board.virt_timer_intid);
	if (vcpu->vm->config->cntp == CNTP_PASSTHROUGH)
		forward(vcpu, board.phys_timer_intid);
	if (board.pmu_intid)
		forward(vcpu, board.pmu_intid);
	for (unsigned i = 0; i < spis; i++)
		forward_spi(vcpu, machine->spi_first + i);
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
	enable_own(board.maintenance_intid, MAINTENANCE_PRIORITY);
	enable_own(board.hyp_timer_intid, HYP_PRIORITY);
}

void vm_gic_reset_vcpu(struct vcpu *vcpu)
{
	const struct run_config *config = vcpu->vm->config;
	bool trapped = config->irq == IRQ_TRAPPED;

	if (!trapped) { /* its guest had the core's GIC, and no other VM is there */
		gic_cpu_abandon();
		gic_dist_reset();
		vm_gic_reset_core(config);
	}
	vgic_reset(&vcpu->vgic, lr_count, config->lr == LR_HW && !vcpu->vm->machine->unlinked);
	vcpu->active_ppis = 0;
	gic_virt_reset();
	if (trapped)
		forward_all(vcpu);
	else
		gic_virt_off();
	gic_virt_save(&vcpu->gic);
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

void vm_gic_release(const struct vm *vm)
{
	const struct vm_machine *machine = vm->machine;

	for (unsigned i = 0; i < machine->spi_count; i++)
		release_spi(machine->spi_first + i);
	if (machine->link_intid)
		release_spi(machine->link_intid);
	if (machine->kick_intid)
		release_spi(machine->kick_intid);
}
