/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vcpu_power.h"

#include "arch/tlb.h"
#include "hyp/arch/guest.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vm/vm.h"

static void load_gic(struct vcpu *vcpu)
{
	vppi_load(vcpu);
	gic_virt_restore(&vcpu->gic);
}

static void put_gic(struct vcpu *vcpu)
{
	gic_virt_save(&vcpu->gic);
	gic_virt_off();
}

bool vcpu_power_reset(struct vcpu *vcpu, unsigned piece)
{
	bool more;

	load_gic(vcpu);
	more = vgicd_reset_private_piece(vcpu, piece);
	put_gic(vcpu);
	return more;
}

bool vcpu_power_process_posts(struct vcpu *vcpu)
{
	load_gic(vcpu);
	vgicd_process_posts(vcpu);
	put_gic(vcpu);
	return vcpu->vgic.posted.kinds != 0;
}

/* Remove TLB entries made while some registers were the last guest's and some this guest's already
 * (Cortex-A72 erratum 1319367). */
void vcpu_power_begin(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;

	load_gic(vcpu); /* the only vCPU with PPIs has them from now on */
	cpu_reset_guest(vcpu, vcpu->start_entry, vcpu->start_context);
	if (!vm->booted) {
		vm->booted = true;
		/* loading does not count for the limit */
		timerq_start(&vm->limit_timer, vm->limit);
		vm->type->set_registers(vcpu);
	}
	vcpu_put(vcpu);
	tlbi_core_guests();
}
