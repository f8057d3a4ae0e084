/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_gic.h"

#include "boards/board.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/vgicd.h"

#define GICC_SIZE 0x2000u /* bytes: GICC_DIR lies in the second page */

/* CNTHP's interrupt comes before the maintenance interrupt, which has the lower INTID: a step
 * reaches its time limit even if the maintenance interrupt is signalled for ever. */
#define HYP_PRIORITY 0x00u
#define MAINTENANCE_PRIORITY 0x10u

/* --- in stage 2 --- */

/* A part of the GIC: the real one, or emulated. */
static bool add_part(struct vm *vm, const char *name, pa_t pa, struct mmio_region region)
{
	if (vm->config->irq != IRQ_TRAPPED)
		return vm_map(vm, region.base, pa, region.size, STAGE2_DEVICE);
	vm_add_region(vm, name, region);
	return true;
}

static bool add_cpu_interface(struct vm *vm, uintptr_t at)
{
	bool trapped = vm->config->irq == IRQ_TRAPPED, dir = trapped && vm->type->traps_dir;

	if (dir)
		vm_add_region(vm, "CPU interface",
			      (struct mmio_region){ at + PAGE_SIZE, VGICD_DIR_SIZE, vgicd_dir_read,
						    vgicd_dir_write, NULL });
	return vm_map(vm, at, gic_guest_cpu_pa(!trapped), dir ? PAGE_SIZE : GICC_SIZE,
		      STAGE2_DEVICE);
}

bool vm_gic_add(struct vm *vm)
{
	const struct gic_bases *at = &vm->machine->gic;
	uint64_t redist_size = (uint64_t)VGICR_SIZE * vm->machine->cpus;
	bool direct_v2 = at->cpu && vm->config->irq != IRQ_TRAPPED;

	return add_part(vm, "distributor", board.gic.dist,
			(struct mmio_region){ at->dist, direct_v2 ? PAGE_SIZE : VGICD_SIZE,
					      vgicd_read, vgicd_write, NULL }) &&
	       (at->cpu ? add_cpu_interface(vm, at->cpu)
			: add_part(vm, "redistributor", board.gic.redist,
				   (struct mmio_region){ at->redist, redist_size, vgicr_read,
							 vgicr_write, NULL }));
}

/* --- of a core --- */

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

void vm_gic_reset_core(struct vcpu *vcpu)
{
	bool trapped = vcpu->vm->config->irq == IRQ_TRAPPED;
	unsigned lr_count = gic_virt_init();

	gic_cpu_init(trapped);
	vgic_reset(&vcpu->vgic, lr_count, vcpu->vm->config->lr == LR_HW);
	gic_virt_reset();
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
	enable_own(SMP_KICK_SGI, HYP_PRIORITY);
	enable_own(board.maintenance_intid, MAINTENANCE_PRIORITY);
	enable_own(board.hyp_timer_intid, HYP_PRIORITY);
}
