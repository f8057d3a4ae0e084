/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of which vCPU gets the core, when CNTHP fires next, and where an interrupt for a vCPU that
 * is not loaded goes. vgic_guest.h has the measured guest; the other guest has no interrupts.
 * test_sched_order.c tests the order of several vCPUs. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SLICE 1000u /* ticks */
#define LIMIT 1000000u
#define PHYS_TIMER 30u

static struct vcpu *const guest = &guest_vcpu;
static struct vcpu other;
static struct vm *const other_vm = &vms[1];

static enum cntp_access cntp;

static struct timer limit;
static bool limited;

static void limit_reached(struct timer *timer)
{
	limited = true;
	sched_leave();
}

static void start_at(enum sched_kind kind, bool link_hw, uint64_t now)
{
	const struct run_config config = { .sched = kind, .slice_us = 1000, .cntp = cntp };

	guest_boot(link_hw);
	vtimer_stop(guest);
	vcntp_reset(guest);
	guest->el2 = (struct el2_regs){ 0 };
	guest->priority = 1;
	*other_vm = (struct vm){ .vcpu_count = 1, .vcpu = { &other } };
	other = (struct vcpu){ .vm = other_vm };
	vgicd_init(&other_vm->dist, other_vm->vcpu, 1);
	fake_counter_step = 0;
	fake_cntfrq_el0 = 1000 * SLICE;
	fake_cntpct_el0 = now;
	fake_cntv_ctl_el0 = fake_cntp_ctl_el0 = 0;
	limited = false;
	limit.function = limit_reached;
	timerq_start(&limit, LIMIT);
	fp_reset(FP_STATIC);
	sched_reset(&config);
	sched_add(guest);
	if (kind != SCHED_NULL)
		sched_add(&other);
	guest->vttbr = fake_vttbr_el2 = 1;
	other.vttbr = 2;
	assert_ptr_equal(sched_begin(), guest);
}

static void start(enum sched_kind kind)
{
	start_at(kind, true, 0);
}

static void switch_to(struct vcpu *to)
{
	struct vcpu *from = to == guest ? &other : guest;

	assert_ptr_equal(sched_next(), to);
	vcpu_switch(to, from);
	assert_true(vcpu_is_loaded(to) && !vcpu_is_loaded(from));
}

/* Pause `other`, which has the core, and wake the guest. */
static void return_to_guest(void)
{
	sched_pause(&other);
	sched_wake(guest);
	assert_ptr_equal(sched_begin(), guest);
	vcpu_switch(guest, &other);
}

static struct vcpu *timer_at(uint64_t now)
{
	fake_cntpct_el0 = now;
	timerq_expire();
	return sched_next();
}

/* The guest, which has the core, arms its CNTV. */
static void arm_guest_timer(uint64_t cval)
{
	guest_enable(GUEST_TIMER, 0x40);
	fake_cntv_ctl_el0 = 1;
	fake_cntv_cval_el0 = cval;
}

/* The vCPU that has the core programs its CNTP, with cntp=emulated. */
static void program_cntp(struct vcpu *vcpu, uint64_t cval)
{
	guest_enable(PHYS_TIMER, 0x40);
	vcntp_write(vcpu, VCNTP_CVAL, cval);
	vcntp_write(vcpu, VCNTP_CTL, 1);
}

/* --- decisions --- */

TEST(alone_the_guest_keeps_the_core)
{
	start(SCHED_NULL);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT);
	assert_ptr_equal(sched_block(guest), guest);
	assert_int_equal(fake_barriers.wfi, 1);
	assert_null(timer_at(LIMIT));
	assert_true(limited);
}

TEST(the_limit_comes_before_all_else)
{
	for (unsigned kind = SCHED_RR; kind <= SCHED_FP; kind++) {
		start_at((enum sched_kind)kind, true, LIMIT - SLICE / 2);
		assert_int_equal(fake_cnthp_cval_el2, LIMIT);
		arm_guest_timer(LIMIT);
		assert_ptr_equal(sched_block(guest), &other);
		switch_to(&other);
		assert_int_equal(fake_cnthp_cval_el2, LIMIT);
		assert_null(timer_at(LIMIT));
		assert_true(limited);
	}
}

TEST(a_slice_of_0_is_a_millisecond)
{
	const struct run_config config = { .sched = SCHED_RR };

	start(SCHED_RR);
	fake_cntfrq_el0 = 62500000;
	fake_cntpct_el0 = 10;
	sched_reset(&config);
	sched_add(guest);
	sched_add(&other);
	sched_begin();
	assert_int_equal(fake_cnthp_cval_el2, 62510);
}

/* --- the timers of a vCPU that is not loaded --- */

static void leave_for_other(void)
{
	assert_ptr_equal(sched_block(guest), &other);
	switch_to(&other);
}

/* Return the expiry of CNTV, or with `physical` of CNTP, that EL2 watches while the guest is not
 * loaded, or 0 if it watches none. */
static uint64_t watched(bool physical)
{
	const struct timer *timer = physical ? &guest->physical_timer : &guest->virtual_timer;
	uint64_t deadline;

	vcpu_put(guest);
	deadline = timer_is_queued(timer) ? timer->deadline : 0;
	vcpu_load(guest);
	return deadline;
}

TEST(a_timer_that_does_not_signal_is_not_watched)
{
	start(SCHED_RR);
	arm_guest_timer(700);
	assert_int_equal(watched(false), 700);
	guest->el2.cntvoff_el2 = 50;
	assert_int_equal(watched(false), 750);
	fake_cntv_ctl_el0 = 3; /* masked */
	assert_int_equal(watched(false), 0);
	fake_cntv_ctl_el0 = 0;
	assert_int_equal(watched(false), 0);
	fake_cntv_ctl_el0 = 5; /* signals already: ISTATUS */
	assert_int_equal(watched(false), 750);
	guest_set_enabled(GUEST_TIMER, false);
	assert_int_equal(watched(false), 0);
	guest_set_enabled(GUEST_TIMER, true);
	guest_set_dist_enabled(false);
	assert_int_equal(watched(false), 0);
	guest_set_dist_enabled(true);
	gic_set_active(GUEST_TIMER); /* the guest has taken it */
	assert_int_equal(watched(false), 0);
}

/* The timer expires while the guest is not loaded, and the guest takes the interrupt in its next
 * turn, several times. The interrupt first goes through the queue, and through a list register once
 * it has one of its own. */
TEST_WITH(an_expiry_is_delivered_once, NULL, guest_check_rules)
{
	for (unsigned link_hw = 0; link_hw <= 1; link_hw++) {
		start_at(SCHED_RR, link_hw, 0);
		for (unsigned round = 0; round < 4; round++) {
			uint64_t now = 2 * round * SLICE;

			fake_cntpct_el0 = now;
			arm_guest_timer(now + SLICE / 2);
			leave_for_other();
			timer_at(now + 1); /* expiry of an earlier slice */
			assert_ptr_equal(timer_at(now + SLICE / 2), &other);
			assert_false(fake_gic_virq()); /* the interrupt is not for `other` */
			sched_pause(&other);
			switch_to(guest);
			guest_timer(true); /* the line belongs to the guest again, and is high */
			assert_true(fake_gic_virq());
			assert_int_equal(guest_ack(), GUEST_TIMER);
			fake_cntv_ctl_el0 = 0;
			guest_timer(false);
			guest_eoi(GUEST_TIMER);
			guest_assert_takes_nothing();
			assert_false(fake_gic.irq[GUEST_TIMER].active);
			assert_int_equal(fake_gic_deactivations(GUEST_TIMER), round + 1);
			sched_resume(&other);
		}
		assert_int_equal(guest_exits(), link_hw ? 0 : 4); /* the ends, if unlinked */
	}
}

TEST(a_cval_beyond_the_wrap_is_never_reached)
{
	start(SCHED_RR);
	arm_guest_timer(UINT64_MAX);
	guest->el2.cntvoff_el2 = 50;
	assert_int_equal(watched(false), 0);
	fake_cntv_cval_el0 = UINT64_MAX - 50;
	assert_int_equal(watched(false), UINT64_MAX);
	fake_cntv_cval_el0 = UINT64_MAX - 51;
	assert_int_equal(watched(false), UINT64_MAX - 1);
}

TEST_WITH(both_timers_of_a_vcpu_that_waits_are_watched, NULL, guest_check_rules)
{
	start(SCHED_RR);
	fake_cntp_ctl_el0 = 1;
	fake_cntp_cval_el0 = 650;
	assert_int_equal(watched(true), 0); /* not forwarded */
	assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
	assert_int_equal(watched(true), 0); /* not enabled */
	guest_enable(PHYS_TIMER, 0x48);
	fake_cntp_ctl_el0 = 3; /* masked */
	assert_int_equal(watched(true), 0);
	fake_cntp_ctl_el0 = 1;
	arm_guest_timer(700);
	guest->el2.cntvoff_el2 = 100;
	leave_for_other();
	assert_int_equal(guest->physical_timer.deadline, 650);
	assert_int_equal(guest->virtual_timer.deadline, 800);
	assert_ptr_equal(timer_at(650), &other);
	assert_true(fake_gic.irq[PHYS_TIMER].active);
	assert_false(fake_gic.irq[GUEST_TIMER].active);
	assert_ptr_equal(timer_at(800), &other);
	assert_true(fake_gic.irq[GUEST_TIMER].active);
}

/* --- cntp=emulated --- */

static void take_cntp(void)
{
	assert_int_equal(guest_ack(), PHYS_TIMER);
	vcntp_write(guest, VCNTP_CTL, 3);
	guest_eoi(PHYS_TIMER);
	guest_assert_takes_nothing();
}

static void start_emulated(enum sched_kind kind)
{
	cntp = CNTP_EMULATED;
	start(kind);
	cntp = CNTP_PASSTHROUGH;
}

TEST_WITH(an_emulated_timer_fires_at_its_tick, NULL, guest_check_rules)
{
	start_emulated(SCHED_NULL);
	program_cntp(guest, 700);
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(699), guest);
	assert_false(fake_gic_virq());
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(700), guest);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT);
	take_cntp();
	assert_null(timer_at(LIMIT));
}

/* The timer wakes its vCPU once, and the interrupt is pending when the vCPU is loaded. */
TEST_WITH(an_emulated_timer_of_a_vcpu_that_is_not_loaded, NULL, guest_check_rules)
{
	for (unsigned kind = SCHED_RR; kind <= SCHED_FP; kind++) {
		bool at_once = kind == SCHED_FP;

		start_emulated((enum sched_kind)kind);
		program_cntp(guest, 700);
		leave_for_other();
		assert_int_equal(fake_cnthp_cval_el2, 700);
		assert_ptr_equal(timer_at(700), at_once ? guest : &other);
		assert_int_not_equal(guest->state, VCPU_STATE_BLOCKED);
		assert_false(fake_gic_virq());
		if (!at_once) {
			assert_int_equal(fake_cnthp_cval_el2, SLICE);
			assert_ptr_equal(timer_at(SLICE), guest);
		}
		switch_to(guest);
		take_cntp();
	}
}

/* --- EL2's registers --- */

static unsigned el2_writes;

static bool note_el2(const uint64_t *variable, uint64_t value)
{
#define X(name) el2_writes += variable == &fake_##name;
	EL2_REGS(X)
#undef X
	return false;
}

/* A switch between vCPUs with equal EL2 registers writes none. Otherwise it writes the register
 * that differs, and so does the switch back. */
TEST(equal_el2_registers_are_not_written)
{
	for (unsigned differs = 0; differs <= 1; differs++) {
		start(SCHED_RR);
		other.el2.vbar_el2 = differs ? 0x800 : 0;
		sched_compare();
		el2_writes = 0;
		fake_sysregs.write = note_el2;
		leave_for_other();
		assert_int_equal(el2_writes, differs);
		assert_int_equal(fake_vbar_el2, other.el2.vbar_el2);
		return_to_guest();
		fake_sysregs.write = NULL;
		assert_int_equal(el2_writes, 2 * differs);
		assert_int_equal(fake_vbar_el2, 0);
	}
}

static bool is_auxiliary(const reg_t *variable)
{
#define X(name, ...) variable == &fake_##name ||
	return EL1_AUXILIARY_REGS(X) false;
#undef X
}

static unsigned auxiliary_writes;

static bool note_auxiliary(const reg_t *variable, reg_t value)
{
	auxiliary_writes += is_auxiliary(variable);
	return false;
}

static bool keep_no_auxiliary(const reg_t *variable, reg_t value)
{
	note_auxiliary(variable, value);
	return is_auxiliary(variable);
}

/* Each VM has its own registers on a core that keeps them. Otherwise a switch writes none. */
TEST(auxiliary_registers_are_switched_where_there_are_any)
{
	start(SCHED_RR);
	fake_amair_el1 = 1;
	fake_afsr0_el1 = 2;
	fake_afsr1_el1 = 3;
	leave_for_other();
	assert_int_equal(fake_amair_el1 | fake_afsr0_el1 | fake_afsr1_el1, 0);
	fake_afsr1_el1 = 4;
	return_to_guest();
	assert_int_equal(fake_amair_el1, 1);
	assert_int_equal(fake_afsr0_el1, 2);
	assert_int_equal(fake_afsr1_el1, 3);
	assert_int_equal(other.auxiliary.afsr1_el1, 4);

	start(SCHED_RR);
	assert_int_equal(vcpu_find_auxiliary(), VCPU_AUXILIARY);
	fake_sysregs.write = keep_no_auxiliary;
	assert_int_equal(vcpu_find_auxiliary(), 0);
	guest->load_work = other.load_work = 0;
	auxiliary_writes = 0;
	fake_sysregs.write = note_auxiliary;
	leave_for_other();
	fake_sysregs.write = NULL;
	assert_int_equal(auxiliary_writes, 0);
}
