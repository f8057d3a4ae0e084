/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vcntp.h"

#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/vcpu/vcpu.h"

/* CNTP_CTL (DDI 0487 D13.11.14, DDI 0406C B4.1.29) */
#define CTL_ENABLE 1u
#define CTL_IMASK 2u
#define CTL_ISTATUS 4u

/* An unsigned compare. Without a barrier the counter may be read early: then CNTHP, which compares
 * for itself, expires at once. */
static bool is_met(const struct vcntp *timer)
{
	return read_cntpct_el0() >= timer->cval;
}

static void set_line(struct vcpu *vcpu, bool high)
{
	vcpu->cntp.line = high;
	vgic_set_level(&vcpu->vgic, &vcpu->vgic.virq[board.phys_timer_intid], high);
}

/* After a write: set the line, and the timer for its rise. */
static void update(struct vcpu *vcpu)
{
	struct vcntp *timer = &vcpu->cntp;
	bool signals = (timer->ctl & (CTL_ENABLE | CTL_IMASK)) == CTL_ENABLE;
	bool high = signals && is_met(timer);

	if (high != timer->line)
		set_line(vcpu, high);
	if (signals && !high)
		timerq_start(&timer->timer, timer->cval);
	else
		timerq_stop(&timer->timer);
}

/* ISTATUS is UNKNOWN without ENABLE: 0. TVAL has 32 bits. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which)
{
	const struct vcntp *timer = &vcpu->cntp;

	if (which == VCNTP_CVAL)
		return timer->cval;
	if (which == VCNTP_TVAL)
		return (uint32_t)(timer->cval - counter_read());
	return timer->ctl | ((timer->ctl & CTL_ENABLE) && is_met(timer) ? CTL_ISTATUS : 0);
}

void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value)
{
	struct vcntp *timer = &vcpu->cntp;

	if (which == VCNTP_CTL)
		timer->ctl = (uint32_t)value & (CTL_ENABLE | CTL_IMASK);
	else if (which == VCNTP_CVAL)
		timer->cval = value;
	else
		timer->cval = counter_read() + (uint64_t)(int32_t)value;
	update(vcpu);
}

void vcntp_expire(struct vcpu *vcpu)
{
	if (vcpu->loaded)
		set_line(vcpu, true);
	else
		vcpu->load_work |= VCPU_CNTP_DUE;
}

void vcntp_load(struct vcpu *vcpu)
{
	if (vcpu->load_work & VCPU_CNTP_DUE)
		set_line(vcpu, true);
	vcpu->load_work &= (uint8_t)~VCPU_CNTP_DUE;
}

void vcntp_reset(struct vcpu *vcpu)
{
	vcpu->cntp.cval = 0;
	vcpu->cntp.ctl = 0;
	update(vcpu);
	vcpu->load_work &= (uint8_t)~VCPU_CNTP_DUE;
}
