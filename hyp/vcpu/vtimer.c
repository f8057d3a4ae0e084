/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vtimer.h"

#include "arch/counter.h"
#include "boards/board.h"
#include "hyp/base/clock.h"
#include "hyp/vcpu/vppi.h"
#include "lib/compiler.h"

/* CNTV_CTL, CNTP_CTL (DDI 0487 D13.11.14, D13.11.17, DDI 0406C B4.1.29) */
#define CTL_ENABLE 1u
#define CTL_IMASK 2u
#define CTL_ISTATUS 4u

#define US_PER_S 1000000u

static bool is_on(reg_t ctl)
{
	return (ctl & (CTL_ENABLE | CTL_IMASK)) == CTL_ENABLE;
}

/* --- the emulated CNTP --- */

/* Return whether the condition of the timer is met, by an unsigned comparison. The counter read has
 * no barrier and may be early: then CNTHP, which compares itself, expires at once. */
static bool is_met(const struct vcpu *vcpu)
{
	return read_cntpct_el0() >= vcpu->cntp.cval;
}

static void set_line(struct vcpu *vcpu, bool high)
{
	vgic_set_level(&vcpu->vgic, &vcpu->vgic.virq[board.phys_timer_intid], high);
}

/* After a write: set the line, and the timer for its rise. */
static void update(struct vcpu *vcpu)
{
	bool high = is_on(vcpu->cntp.ctl) && is_met(vcpu);

	if (high != vcpu->vgic.virq[board.phys_timer_intid].level)
		set_line(vcpu, high);
	if (is_on(vcpu->cntp.ctl) && !high)
		timerq_start(&vcpu->cntp.timer, vcpu->cntp.cval);
	else
		timerq_stop(&vcpu->cntp.timer);
}

/* Read a register. ISTATUS is UNKNOWN without ENABLE, and reads as 0. TVAL has 32 bits. */
uint64_t vcntp_read(const struct vcpu *vcpu, enum vcntp_register which)
{
	uint32_t ctl = vcpu->cntp.ctl;

	if (which == VCNTP_CVAL)
		return vcpu->cntp.cval;
	if (which == VCNTP_TVAL)
		return (uint32_t)(vcpu->cntp.cval - counter_read());
	return ctl | ((ctl & CTL_ENABLE) && is_met(vcpu) ? CTL_ISTATUS : 0);
}

void vcntp_write(struct vcpu *vcpu, enum vcntp_register which, uint64_t value)
{
	if (which == VCNTP_CTL)
		vcpu->cntp.ctl = (uint32_t)value & (CTL_ENABLE | CTL_IMASK);
	else if (which == VCNTP_CVAL)
		vcpu->cntp.cval = value;
	else
		vcpu->cntp.cval = counter_read() + (uint64_t)(int32_t)value;
	update(vcpu);
}

/* This function is out of line: by its name `make bound` knows that the visit switches to no other
 * vCPU. */
static __attribute__((noinline)) void raise_loaded(struct vcpu *vcpu)
{
	set_line(vcpu, true);
}

void vcntp_expire(struct vcpu *vcpu)
{
	if (vcpu_is_loaded(vcpu))
		raise_loaded(vcpu);
	else
		vcpu->load_work |= VCPU_CNTP_DUE;
}

void vcntp_reset(struct vcpu *vcpu)
{
	vcpu->cntp.cval = 0;
	vcpu->cntp.ctl = 0;
	update(vcpu);
	vcpu->load_work &= (uint8_t)~VCPU_CNTP_DUE;
}

/* --- CNTV and CNTP of a vCPU that is not loaded --- */

/* Return whether the timer may signal. An active interrupt is in a list register or queued, and
 * signals again after the guest's EOI. */
static inline __attribute__((always_inline)) bool may_signal(const struct vcpu *vcpu,
							     unsigned intid)
{
	return vppi_is_enabled(vcpu, intid) && !vppi_is_active(vcpu, intid);
}

/* Make the interrupt active, as after an acknowledge: the guest's EOI deactivates it, and the line,
 * which is high as soon as the vCPU is loaded, does not signal it twice. */
void vtimer_expire(struct vcpu *vcpu, unsigned intid)
{
	gic_set_active(intid);
	vgic_inject_unloaded(&vcpu->vgic, &vcpu->gic, &vcpu->vgic.virq[intid]);
}

__cold void vtimer_expire_shared(struct vcpu *vcpu, unsigned intid)
{
	vppi_set_active(vcpu, intid);
	vgic_inject_unloaded(&vcpu->vgic, &vcpu->gic, &vcpu->vgic.virq[intid]);
}

/* Watch CNTV, unless CNTVCT would wrap before it reaches CVAL. */
static void watch_virtual(struct vcpu *vcpu)
{
	uint64_t offset = vcpu->el2.cntvoff_el2;
	uint64_t at = vcpu->el1.cntv_cval_el0 + offset;

	if (at >= offset && may_signal(vcpu, board.virt_timer_intid))
		timerq_add(&vcpu->virtual_timer, at);
}

static void watch_physical(struct vcpu *vcpu)
{
	if (!may_signal(vcpu, board.phys_timer_intid))
		return;
	vcpu->load_work |= VCPU_CNTP_WATCHED;
	timerq_add(&vcpu->physical_timer, vcpu->el1.cntp_cval_el0);
}

void vtimer_put(struct vcpu *vcpu)
{
	if (is_on(vcpu->el1.cntv_ctl_el0))
		watch_virtual(vcpu);
	if (is_on(vcpu->el1.cntp_ctl_el0))
		watch_physical(vcpu);
}

void vtimer_load(struct vcpu *vcpu)
{
	timerq_stop(&vcpu->virtual_timer);
	timerq_stop(&vcpu->physical_timer);
	if (vcpu->load_work & VCPU_CNTP_DUE)
		set_line(vcpu, true);
	vcpu->load_work &= (uint8_t) ~(VCPU_CNTP_WATCHED | VCPU_CNTP_DUE);
}

/* --- all timers of a vCPU --- */

void vtimer_stop(struct vcpu *vcpu)
{
	timerq_stop(&vcpu->virtual_timer);
	timerq_stop(&vcpu->physical_timer);
	timerq_stop(&vcpu->cntp.timer);
}

uint64_t vtimer_offset(uint32_t us)
{
	uint64_t ticks = (uint64_t)us * clock_hz() / US_PER_S;
	uint64_t now = counter_read();

	return us == VTIMER_FROM_0 || ticks > now ? now : ticks;
}
