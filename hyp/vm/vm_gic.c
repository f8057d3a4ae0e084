/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_gic.h"

#include "boards/board.h"
#include "hyp/base/console.h"
#include "hyp/cpu/smp.h"
#include "hyp/vm/vgicd.h"

#define GICC_SIZE 0x2000u /* bytes: GICC_DIR lies in the second page */

/* Of the hypervisor's own interrupts. CNTHP's comes before the maintenance interrupt, which has the
 * lower INTID: a step gets to its time limit even if that one is signalled for ever. */
#define HYP_PRIORITY 0x00u
#define MAINTENANCE_PRIORITY 0x10u

/* --- in stage 2 --- */

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
		      (struct mmio_region){ at->dist, VGICD_SIZE, vgicd_read, vgicd_write, NULL });
	if (!at->cpu)
		vm_add_region(vm, "redistributor",
			      (struct mmio_region){ at->redist,
						    (uint64_t)VGICR_SIZE * vm->machine->cpus,
						    vgicr_read, vgicr_write, NULL });
	else if (vm->type->traps_dir)
		vm_add_region(vm, "CPU interface",
			      (struct mmio_region){ at->cpu + PAGE_SIZE, VGICD_DIR_SIZE,
						    vgicd_dir_read, vgicd_dir_write, NULL });
}

/* The GIC as this configuration shows it: the two stage-2 entries (or emulated regions) that
 * differ between direct and trapped. */
bool vm_gic_add(struct vm *vm)
{
	const struct gic_bases *at = &vm->machine->gic;
	bool trapped = vm->config->irq == IRQ_TRAPPED;
	uint64_t size = trapped && vm->type->traps_dir ? PAGE_SIZE : GICC_SIZE;

	if (at->cpu && !vm_map(vm, at->cpu, gic_guest_cpu_pa(!trapped), size, STAGE2_DEVICE))
		return false;
	if (!trapped)
		return map_gic(vm, at);
	emulate_gic(vm, at);
	return true;
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
