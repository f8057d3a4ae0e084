/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vtimer.h"

#include "boards/board.h"

/* CNTV_CTL (DDI 0487 D13.11.17) */
#define CTL_ENABLE 1u
#define CTL_IMASK 2u

/* While the interrupt is active, the guest has it: in a list register, pending or active, or
 * queued. It signals again after the guest's end, when the line is the guest's own once more. */
uint64_t vtimer_deadline(const struct vcpu *vcpu)
{
	const struct virq *virq = vcpu->vgic.route[board.virt_timer_intid];

	if ((vcpu->el1.cntv_ctl_el0 & (CTL_ENABLE | CTL_IMASK)) != CTL_ENABLE || !virq ||
	    !vgic_may_deliver(&vcpu->vgic, virq) || gic_is_active(board.virt_timer_intid))
		return UINT64_MAX;
	return vcpu->el1.cntv_cval_el0 + read_cntvoff_el2();
}

/* Active, as after an acknowledge: so the guest's end deactivates it, and the line, high again as
 * soon as the guest's CNTV is back, does not signal it a second time. */
void vtimer_expire(struct vcpu *vcpu)
{
	gic_set_active(board.virt_timer_intid);
	vgic_inject_absent(&vcpu->vgic, &vcpu->gic, vcpu->vgic.route[board.virt_timer_intid]);
}
