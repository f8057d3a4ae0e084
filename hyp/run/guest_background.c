/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The background VM keeps a core busy: it counts in an endless loop, in one page of code from this
 * image (guest/arch/background/). The VM has no memory to write, no interrupt, and no device but
 * its CPU interface. Its code writes every EL1 register that a VM owns, priority mask and active
 * priorities of the CPU interface, and all FP registers unless fp=static. If a switch forgets a
 * register, the measured guest has a wrong value.
 */
#include "hyp/base/image.h"
#include "hyp/run/guest.h"
#include "hyp/trap/hypercall.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/vm.h"

/* Bits of the first argument of the background code. */
#define BACKGROUND_USES_FP 1u
#define BACKGROUND_HAS_GICV 2u
#define BACKGROUND_HAS_APR 4u

static enum vm_build add_devices(struct vm *vm)
{
	uintptr_t code = vm->machine->entry, gicv = gic_guest_cpu_pa(false);

	return vm_map(vm, code, code, PAGE_SIZE, STAGE2_CODE) &&
			       (!gicv ||
				vm_map(vm, code ^ PAGE_SIZE, gicv, PAGE_SIZE, STAGE2_DEVICE))
		       ? VM_BUILD_DONE
		       : VM_BUILD_FAILED;
}

/* Use the CNTVOFF of the other VM on the core, so that a switch has no CNTVOFF to write. The
 * background code does not read CNTVCT. */
static bool reset(struct vm *vm)
{
	/* bound: VM_MAX */
	for (unsigned i = 0; i < VM_MAX; i++)
		if (&vms[i] != vm && vms[i].started && vms[i].vcpu[0]->core == vm->vcpu[0]->core)
			vm->cntvoff = vms[i].cntvoff;
	return false;
}

/* A GICv2 that does not split ends may lack active priorities, too: gem5's GICv2 ends the
 * simulation when a guest writes them. */
static void set_registers(struct vcpu *vcpu)
{
	unsigned abilities = vcpu->vm->config->fp != FP_STATIC ? BACKGROUND_USES_FP : 0;

	if (gic_guest_cpu_pa(false))
		abilities |= gic_splits_ends() ? BACKGROUND_HAS_GICV | BACKGROUND_HAS_APR
					       : BACKGROUND_HAS_GICV;
	vcpu->frame.x[0] = abilities;
}

static const struct vm_type type = {
	.traps = traps_bench,
	.hypercalls = hypercalls_bench,
	.no_gic = true,
	.add_devices = add_devices,
	.reset = reset,
	.set_registers = set_registers,
	.starting = guest_nothing,
	.restarts = guest_nothing_left,
	.stopped = guest_nothing,
};

/* The rounds are in the register of a hypercall's number, which every frame holds. */
static uint32_t rounds(const struct vm *vm)
{
	return (uint32_t)vm->vcpu[0]->frame.x[0];
}

void guest_background(struct vm_machine *machine)
{
	*machine = (struct vm_machine){
		.type = &type,
		.entry = (uintptr_t)__background_start,
		.rounds = rounds,
	};
}
