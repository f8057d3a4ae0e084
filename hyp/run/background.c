/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/run/background.h"

#include "hyp/arch/guest.h"
#include "hyp/base/console.h"
#include "hyp/base/image.h"
#include "hyp/run/guest.h"
#include "hyp/vm/vm.h"

/* Bits of its first argument, which background.S reads. */
#define BACKGROUND_USES_FP 1u
#define BACKGROUND_HAS_GICV 2u
#define BACKGROUND_HAS_APR 4u

static pte_t root[PTE_COUNT] __attribute__((aligned(PAGE_SIZE)));
static uint8_t pages[2][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE))); /* levels 2 and 3 */
static struct page_pool pool = { .base = pages[0], .count = 2 };
static struct vcpu_space space;
static struct vm vm = {
	.vmid = BACKGROUND_VMID, .type = &vm_type_bench, .vcpu_count = 1, .vcpu = { &space.vcpu }
};

/* A GICv2 that does not split ends may lack active priorities, too: gem5's ends the simulation when
 * a guest writes them. */
static unsigned background_abilities(const struct run_config *config, bool gicv)
{
	unsigned abilities = config->fp != FP_STATIC ? BACKGROUND_USES_FP : 0;

	if (gicv)
		abilities |= gic_splits_ends() ? BACKGROUND_HAS_GICV | BACKGROUND_HAS_APR
					       : BACKGROUND_HAS_GICV;
	return abilities;
}

struct vcpu *background_prepare(const struct vm *measured, const struct plan_vm *plan)
{
	const struct run_config *config = measured->config;
	uintptr_t code = (uintptr_t)__background_start, gicv = gic_guest_cpu_pa(false);
	struct vcpu *vcpu = vm.vcpu[0];

	*vcpu = (struct vcpu){ 0 };
	vm.name = plan->name;
	vm.priority = (uint8_t)plan->prio;
	vm.core[0] = measured->core[0];
	vm_name_vcpus(&vm);
	vm.config = config;
	vm.outcome = VM_RUNNING;
	stage2_reset(&vm.stage2, vm.vmid, STAGE2_4K, &pool, root);
	if (!stage2_map(&vm.stage2, code, code, PAGE_SIZE, STAGE2_CODE))
		panic("cannot map the background VM");
	if (gicv && !stage2_map(&vm.stage2, code ^ PAGE_SIZE, gicv, PAGE_SIZE, STAGE2_DEVICE))
		panic("cannot map the background VM's CPU interface");
	cpu_reset_guest(vcpu, code, background_abilities(config, gicv != 0));
	cpu_guest_el2(vcpu, config);
	vcpu_put(vcpu);
	vcpu->vttbr = stage2_vttbr(&vm.stage2);
	vcpu->gic = (struct gic_virt_state){ 0 };
	return vcpu;
}

/* In the register of a hypercall's number, which any frame holds. */
uint32_t background_rounds(void)
{
	return (uint32_t)frame_arg(&vm.vcpu[0]->frame, 0);
}
