/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vtimer.h"

#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/base/clock.h"

/* CNTV_CTL, CNTP_CTL (DDI 0487 D13.11.17) */
#define CTL_ENABLE 1u
#define CTL_IMASK 2u

#define US_PER_S 1000000u

static bool is_on(reg_t ctl)
{
	return (ctl & (CTL_ENABLE | CTL_IMASK)) == CTL_ENABLE;
}

/* While the interrupt is active, the guest has it: in a list register, pending or active, or
 * queued. It signals again after the guest's end, when the line is the guest's own once more. */
static inline __attribute__((always_inline)) bool may_signal(const struct vcpu *vcpu,
							     unsigned intid)
{
	const struct virq *virq = vcpu->vgic.route[intid];

	return virq && (virq->fast_lr != VIRQ_LR_NONE || vgic_may_deliver(&vcpu->vgic, virq)) &&
	       !gic_is_active(intid);
}

/* CNTVCT does not come to a CVAL that lies so far ahead before it wraps. */
static inline __attribute__((always_inline)) uint64_t virtual_deadline(const struct vcpu *vcpu)
{
	uint64_t offset;
	uint64_t at;

	if (!is_on(vcpu->el1.cntv_ctl_el0) || !may_signal(vcpu, board.virt_timer_intid))
		return UINT64_MAX;
	offset = read_cntvoff_el2();
	at = vcpu->el1.cntv_cval_el0 + offset;
	return at < offset ? UINT64_MAX : at;
}

uint64_t vtimer_deadline(const struct vcpu *vcpu)
{
	return virtual_deadline(vcpu);
}

static inline __attribute__((always_inline)) uint64_t physical_deadline(const struct vcpu *vcpu)
{
	if (!is_on(vcpu->el1.cntp_ctl_el0) || !may_signal(vcpu, board.phys_timer_intid))
		return UINT64_MAX;
	return vcpu->el1.cntp_cval_el0;
}

uint64_t vtimer_physical_deadline(const struct vcpu *vcpu)
{
	return physical_deadline(vcpu);
}

/* Active, as after an acknowledge: so the guest's end deactivates it, and the line, high again as
 * soon as the guest's timer is back, does not signal it a second time. */
static inline __attribute__((always_inline)) void expire(struct vcpu *vcpu, unsigned intid)
{
	gic_set_active(intid);
	vgic_inject_absent(&vcpu->vgic, &vcpu->gic, vcpu->vgic.route[intid]);
}

void vtimer_expire(struct vcpu *vcpu)
{
	expire(vcpu, board.virt_timer_intid);
}

__attribute__((noinline)) bool vtimer_expire_which(struct vcpu *vcpu, uint64_t now)
{
	bool any = false;

	if (now >= virtual_deadline(vcpu)) {
		expire(vcpu, board.virt_timer_intid);
		any = true;
	}
	if (now >= physical_deadline(vcpu)) {
		expire(vcpu, board.phys_timer_intid);
		any = true;
	}
	if (now >= vcpu->cntp.deadline && vcpu->cntp.deadline != VCNTP_DUE) {
		vcpu->cntp.deadline = VCNTP_DUE;
		any = true;
	}
	return any;
}

uint64_t vtimer_offset(uint32_t us)
{
	uint64_t ticks = (uint64_t)us * clock_hz() / US_PER_S;
	uint64_t now = counter_read();

	return us == VTIMER_FROM_0 || ticks > now ? now : ticks;
}
