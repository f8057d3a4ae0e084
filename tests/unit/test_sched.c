/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets the core, when CNTHP fires next, and where an interrupt for a guest that does not run
 * goes. The measured guest is the one of vgic_guest.h; the other has no interrupts. */
/* LINK: exit-path drivers/gic/gicv2.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/vgic_guest.h"

#define SLICE 1000u /* ticks */
#define LIMIT 1000000u
#define SPI 40u
#define PHYS_TIMER 30u

static struct vcpu *const guest = &guest_vcpu;
static struct vcpu other;
static struct vm other_vm = { .vcpu_count = 1, .vcpu = { &other } };

static enum cntp_access cntp;

static void start_at(enum sched_kind kind, bool link_hw, uint64_t now)
{
	const struct run_config config = { .sched = kind, .slice_us = 1000, .cntp = cntp };

	guest_boot(4, link_hw, false);
	guest->el1 = (struct el1_regs){ 0 };
	guest->cntp = (struct vcntp)VCNTP_RESET;
	other = (struct vcpu){ .vm = &other_vm, .cntp = VCNTP_RESET };
	fake_counter_step = 0;
	fake_cntfrq_el0 = 1000 * SLICE;
	fake_cntpct_el0 = now;
	sched_start(&config, guest, kind == SCHED_NULL ? NULL : &other, now, LIMIT);
}

static void start(enum sched_kind kind)
{
	start_at(kind, true, 0);
}

/* The core goes over, as vcpu_switch() does it. */
static void switch_to(struct vcpu *to)
{
	struct vcpu *from = to == guest ? &other : guest;

	gic_virt_save(&from->gic);
	gic_virt_restore(&to->gic);
	vgic_resume(&to->vgic);
	sched_switched(from, to);
}

static struct vcpu *timer_at(struct vcpu *running, uint64_t now)
{
	fake_cntpct_el0 = now;
	return sched_timer(running);
}

static void arm_guest_timer(uint64_t cval)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest->el1.cntv_ctl_el0 = 1;
	guest->el1.cntv_cval_el0 = cval;
}

/* Who has the core programs its CNTP, with cntp=emulated. */
static void program_cntp(struct vcpu *vcpu, uint64_t cval)
{
	guest_enable(PHYS_TIMER, 0x40);
	vcntp_write(vcpu, VCNTP_CVAL, cval);
	vcntp_write(vcpu, VCNTP_CTL, 1);
}

/* --- decisions --- */

static void alone_the_guest_keeps_the_core(void **state)
{
	(void)state;
	start(SCHED_NULL);
	assert_null(sched_absent(guest));
	assert_int_equal(fake_cnthp_cval_el2, LIMIT);
	assert_ptr_equal(sched_sleep(guest), guest);
	assert_int_equal(fake_barriers.wfi, 1);
	assert_null(timer_at(guest, LIMIT));
	assert_int_equal(fake_hyp.reason, FAULT_TIME_LIMIT);
}

enum event { TURN_ENDS, GUEST_SLEEPS, TIMER_FOR_GUEST, TIMER_AND_TURN_END };

static void the_decisions(void **state)
{
	static const struct {
		enum sched_kind kind;
		bool guest_runs, guest_asleep;
		enum event event;
		bool guest_next;
	} rows[] = {
		{ SCHED_RR, true, false, TURN_ENDS, false },
		{ SCHED_RR, false, false, TURN_ENDS, true },
		{ SCHED_RR, false, true, TURN_ENDS, false },
		{ SCHED_RR, true, false, GUEST_SLEEPS, false },
		{ SCHED_RR, false, false, TIMER_FOR_GUEST, false },
		{ SCHED_RR, false, true, TIMER_FOR_GUEST, false },
		{ SCHED_RR, false, true, TIMER_AND_TURN_END, true },
		{ SCHED_RR, false, false, TIMER_AND_TURN_END, true },
		{ SCHED_FP, true, false, TURN_ENDS, false },
		{ SCHED_FP, false, false, TURN_ENDS, true },
		{ SCHED_FP, false, true, TURN_ENDS, false },
		{ SCHED_FP, true, false, GUEST_SLEEPS, false },
		{ SCHED_FP, false, false, TIMER_FOR_GUEST, true },
		{ SCHED_FP, false, true, TIMER_FOR_GUEST, true },
		{ SCHED_FP, false, true, TIMER_AND_TURN_END, true },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		bool timer = rows[i].event >= TIMER_FOR_GUEST;
		struct vcpu *next;

		start(rows[i].kind);
		if (timer)
			arm_guest_timer(SLICE / 2);
		if (!rows[i].guest_runs) {
			if (rows[i].guest_asleep)
				assert_ptr_equal(sched_sleep(guest), &other);
			switch_to(&other);
		}
		if (rows[i].event == GUEST_SLEEPS)
			next = sched_sleep(guest);
		else
			next = timer_at(rows[i].guest_runs ? guest : &other,
					rows[i].event == TIMER_FOR_GUEST ? SLICE / 2 : SLICE);
		if (next != (rows[i].guest_next ? guest : &other))
			fail_msg("row %u", i);
		assert_int_equal(fake_barriers.wfi, 0);
		assert_int_equal(fake_hyp.faults, 0);
	}
}

static void turns_alternate_and_are_counted(void **state)
{
	struct vcpu *running = guest;

	(void)state;
	start(SCHED_RR);
	for (unsigned i = 1; i <= 10; i++) {
		struct vcpu *next = timer_at(running, i * SLICE);

		assert_ptr_not_equal(next, running);
		assert_true(sched_is_running(running));
		switch_to(next);
		assert_true(sched_is_running(next) && !sched_is_running(running));
		assert_int_equal(fake_cnthp_cval_el2, (i + 1) * SLICE);
		running = next;
	}
	assert_int_equal(sched_counts(0).switches, 10);
	assert_int_equal(sched_counts(0).other_turns, 5);
}

static void a_turn_that_nobody_wants_goes_on(void **state)
{
	(void)state;
	start(SCHED_RR);
	assert_ptr_equal(sched_sleep(guest), &other);
	switch_to(&other);
	for (unsigned i = 1; i <= 3; i++) {
		assert_ptr_equal(timer_at(&other, i * SLICE), &other);
		assert_int_equal(fake_cnthp_cval_el2, (i + 1) * SLICE);
	}
	assert_int_equal(sched_counts(0).switches, 1);
}

static void an_early_timer_changes_nothing(void **state)
{
	(void)state;
	start(SCHED_RR);
	assert_ptr_equal(timer_at(guest, SLICE - 1), guest);
	assert_int_equal(fake_cnthp_cval_el2, SLICE);
}

static void the_limit_comes_before_all_else(void **state)
{
	(void)state;
	for (unsigned kind = SCHED_RR; kind <= SCHED_FP; kind++) {
		start_at((enum sched_kind)kind, true, LIMIT - SLICE / 2);
		assert_int_equal(fake_cnthp_cval_el2, LIMIT);
		arm_guest_timer(LIMIT);
		switch_to(&other);
		assert_int_equal(fake_cnthp_cval_el2, LIMIT);
		assert_null(timer_at(&other, LIMIT));
		assert_int_equal(fake_hyp.reason, FAULT_TIME_LIMIT);
		assert_int_equal(guest->vm->outcome, VM_FAULT); /* the step's, not the other's */
		assert_int_equal(other_vm.outcome, VM_RUNNING);
	}
}

static void a_slice_of_0_is_a_millisecond(void **state)
{
	const struct run_config config = { .sched = SCHED_RR };

	(void)state;
	start(SCHED_RR);
	fake_cntfrq_el0 = 62500000;
	sched_start(&config, guest, &other, 10, LIMIT);
	assert_int_equal(fake_cnthp_cval_el2, 62510);
}

/* --- the timer of who is absent --- */

static void the_absent_timer_is_watched(void **state)
{
	(void)state;
	start(SCHED_RR);
	arm_guest_timer(700);
	switch_to(&other);
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(&other, 700), &other);
	assert_int_equal(fake_cnthp_cval_el2, SLICE); /* once */
	assert_true(fake_gic.irq[GUEST_TIMER].active);
	assert_ptr_equal(timer_at(&other, SLICE), guest);
}

static void a_timer_that_does_not_signal_is_not_watched(void **state)
{
	(void)state;
	start(SCHED_RR);
	assert_int_equal(vtimer_deadline(&other), UINT64_MAX); /* it has no timer interrupt */
	arm_guest_timer(700);
	assert_int_equal(vtimer_deadline(guest), 700);
	fake_cntvoff_el2 = 50;
	assert_int_equal(vtimer_deadline(guest), 750);
	guest->el1.cntv_ctl_el0 = 3; /* masked */
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest->el1.cntv_ctl_el0 = 0;
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest->el1.cntv_ctl_el0 = 5; /* signals already: ISTATUS */
	assert_int_equal(vtimer_deadline(guest), 750);
	guest_set_enabled(GUEST_TIMER, false);
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest_set_enabled(GUEST_TIMER, true);
	guest_set_dist_enabled(false);
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest_set_dist_enabled(true);
	gic_set_active(GUEST_TIMER); /* the guest has it */
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
}

/* Expires while absent, is taken in its turn, and again in the next: first by the queue, then, once
 * the interrupt has a list register of its own, through that. */
static void an_expiry_is_delivered_once(void **state)
{
	(void)state;
	for (unsigned link_hw = 0; link_hw <= 1; link_hw++) {
		start_at(SCHED_RR, link_hw, 0);
		for (unsigned round = 0; round < 4; round++) {
			uint64_t now = 2 * round * SLICE;

			arm_guest_timer(now + SLICE / 2);
			fake_cntpct_el0 = now;
			switch_to(&other);
			assert_ptr_equal(timer_at(&other, now + SLICE / 2), &other);
			assert_false(fake_gic_virq()); /* it is not the other's */
			switch_to(guest);
			guest_timer(true); /* the line is the guest's again, and high */
			assert_true(fake_gic_virq());
			assert_int_equal(guest_ack(), GUEST_TIMER);
			guest->el1.cntv_ctl_el0 = 0;
			guest_timer(false);
			guest_eoi(GUEST_TIMER);
			guest_assert_takes_nothing();
			assert_false(fake_gic.irq[GUEST_TIMER].active);
			assert_int_equal(fake_gic_deactivations(GUEST_TIMER), round + 1);
		}
		assert_int_equal(guest_exits(), link_hw ? 0 : 4); /* the ends, unlinked */
	}
}

static void a_cval_beyond_the_wrap_is_never_reached(void **state)
{
	(void)state;
	start(SCHED_RR);
	arm_guest_timer(UINT64_MAX);
	fake_cntvoff_el2 = 50;
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest->el1.cntv_cval_el0 = UINT64_MAX - 50;
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX);
	guest->el1.cntv_cval_el0 = UINT64_MAX - 51;
	assert_int_equal(vtimer_deadline(guest), UINT64_MAX - 1);
}

/* cntp=passthrough: both timers of the absent, in either order, each once. */
static void both_timers_of_the_absent_are_watched(void **state)
{
	(void)state;
	for (unsigned physical_first = 0; physical_first <= 1; physical_first++) {
		const unsigned first = physical_first ? PHYS_TIMER : GUEST_TIMER;
		const unsigned second = physical_first ? GUEST_TIMER : PHYS_TIMER;

		start(SCHED_RR);
		assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
		guest_enable(PHYS_TIMER, 0x48);
		arm_guest_timer(physical_first ? 700 : 600);
		guest->el1.cntp_ctl_el0 = 1;
		guest->el1.cntp_cval_el0 = physical_first ? 600 : 700;
		fake_cntvoff_el2 = 0;
		switch_to(&other);
		assert_int_equal(fake_cnthp_cval_el2, 600);
		assert_ptr_equal(timer_at(&other, 600), &other);
		assert_true(fake_gic.irq[first].active && !fake_gic.irq[second].active);
		assert_int_equal(fake_cnthp_cval_el2, 700);
		assert_ptr_equal(timer_at(&other, 700), &other);
		assert_true(fake_gic.irq[first].active && fake_gic.irq[second].active);
		assert_int_equal(fake_cnthp_cval_el2, SLICE);
		switch_to(guest);
		assert_int_equal(guest_ack(), GUEST_TIMER); /* the more urgent one */
		guest_eoi(GUEST_TIMER);
		guest_assert_takes(PHYS_TIMER);
		guest_assert_takes_nothing();
	}
}

static void a_physical_timer_that_does_not_signal_is_not_watched(void **state)
{
	(void)state;
	start(SCHED_RR);
	guest->el1.cntp_ctl_el0 = 1;
	guest->el1.cntp_cval_el0 = 700;
	assert_int_equal(vtimer_physical_deadline(guest), UINT64_MAX); /* not forwarded */
	assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
	assert_int_equal(vtimer_physical_deadline(guest), UINT64_MAX); /* not enabled */
	guest_enable(PHYS_TIMER, 0x40);
	fake_cntvoff_el2 = 50;
	assert_int_equal(vtimer_physical_deadline(guest), 700);
	guest->el1.cntp_ctl_el0 = 3;
	assert_int_equal(vtimer_physical_deadline(guest), UINT64_MAX);
}

/* --- cntp=emulated --- */

static int with_emulated(void **state)
{
	(void)state;
	cntp = CNTP_EMULATED;
	return 0;
}

static int with_passthrough(void **state)
{
	cntp = CNTP_PASSTHROUGH;
	return guest_check_rules(state);
}

static void an_emulated_timer_fires_at_its_tick(void **state)
{
	(void)state;
	start(SCHED_NULL);
	program_cntp(guest, 700);
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(guest, 699), guest);
	assert_false(fake_gic_virq());
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(guest, 700), guest);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT);
	assert_int_equal(guest_ack(), PHYS_TIMER);
	vcntp_write(guest, VCNTP_CTL, 3);
	guest_eoi(PHYS_TIMER);
	guest_assert_takes_nothing();
	assert_null(timer_at(guest, LIMIT));
	assert_int_equal(fake_hyp.reason, FAULT_TIME_LIMIT);
}

static void a_line_that_nobody_lowers_comes_again(void **state)
{
	(void)state;
	start(SCHED_NULL);
	program_cntp(guest, 700);
	assert_ptr_equal(timer_at(guest, 700), guest);
	for (unsigned i = 0; i < 3; i++)
		guest_assert_takes(PHYS_TIMER);
	vcntp_write(guest, VCNTP_CVAL, 900);
	guest_assert_takes_nothing();
	assert_ptr_equal(timer_at(guest, 900), guest);
	guest_assert_takes(PHYS_TIMER);
	vcntp_write(guest, VCNTP_CTL, 0);
	guest_assert_takes_nothing();
}

static void an_emulated_timer_beside_a_turn(void **state)
{
	(void)state;
	start(SCHED_RR);
	program_cntp(guest, 700);
	assert_int_equal(fake_cnthp_cval_el2, 700);
	assert_ptr_equal(timer_at(guest, 700), guest);
	assert_int_equal(fake_cnthp_cval_el2, SLICE);
	guest_assert_takes(PHYS_TIMER);
	vcntp_write(guest, VCNTP_CTL, 0);
	assert_ptr_equal(timer_at(guest, SLICE), &other);
}

/* slice: it wakes who sleeps, once; the interrupt is there when the turn begins. */
static void an_emulated_timer_of_the_absent(void **state)
{
	(void)state;
	for (unsigned kind = SCHED_RR; kind <= SCHED_FP; kind++) {
		bool at_once = kind == SCHED_FP;

		start((enum sched_kind)kind);
		program_cntp(guest, 700);
		assert_ptr_equal(sched_sleep(guest), &other);
		switch_to(&other);
		assert_int_equal(fake_cnthp_cval_el2, 700);
		assert_ptr_equal(timer_at(&other, 700), at_once ? guest : &other);
		assert_false(guest->asleep);
		assert_false(fake_gic_virq());
		if (!at_once) {
			assert_int_equal(fake_cnthp_cval_el2, SLICE);
			assert_ptr_equal(timer_at(&other, SLICE), guest);
		}
		switch_to(guest);
		assert_int_equal(guest_ack(), PHYS_TIMER);
		vcntp_write(guest, VCNTP_CTL, 3);
		guest_eoi(PHYS_TIMER);
		guest_assert_takes_nothing();
	}
}

static void an_emulated_timer_that_is_overdue_when_its_vcpu_comes(void **state)
{
	(void)state;
	start(SCHED_RR);
	program_cntp(guest, 1500);
	assert_ptr_equal(timer_at(guest, SLICE), &other);
	switch_to(&other);
	fake_cntpct_el0 = 1600; /* CNTHP was late */
	switch_to(guest);
	guest_assert_takes(PHYS_TIMER);
}

/* --- a physical interrupt of who is absent --- */

static void pend_spi_of_the_absent(enum sched_kind kind, struct vcpu *next)
{
	start(kind);
	assert_true(vgic_forward(&guest->vgic, SPI));
	guest_enable(SPI, 0x40);
	assert_ptr_equal(sched_sleep(guest), &other);
	switch_to(&other);
	gic_set_pending(SPI);
	assert_ptr_equal(trap_irq(&other), next);
	assert_false(guest->asleep);
	assert_false(fake_gic_irq());
	assert_false(fake_gic_virq());
	assert_true(fake_gic.irq[SPI].active);
	if (next == &other)
		assert_ptr_equal(timer_at(&other, SLICE), guest);
	switch_to(guest);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
	assert_false(fake_gic.irq[SPI].active);
	assert_int_equal(fake_gic_deactivations(SPI), 1);
}

static void an_interrupt_waits_for_the_turn(void **state)
{
	(void)state;
	pend_spi_of_the_absent(SCHED_RR, &other);
}

static void an_interrupt_switches_in_at_once(void **state)
{
	(void)state;
	pend_spi_of_the_absent(SCHED_FP, guest);
}

static void nobodys_interrupt_stays_away(void **state)
{
	(void)state;
	start(SCHED_FP);
	switch_to(&other);
	gic_enable(SPI);
	gic_set_pending(SPI);
	assert_ptr_equal(trap_irq(&other), &other);
	assert_false(fake_gic.irq[SPI].enabled || fake_gic.irq[SPI].active);
}

static int no_rule_is_broken(void **state)
{
	return guest_check_rules(state);
}

#define CNTP_TEST(name) cmocka_unit_test_setup_teardown(name, with_emulated, with_passthrough)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone_the_guest_keeps_the_core),
		cmocka_unit_test(the_decisions),
		cmocka_unit_test(turns_alternate_and_are_counted),
		cmocka_unit_test(a_turn_that_nobody_wants_goes_on),
		cmocka_unit_test(an_early_timer_changes_nothing),
		cmocka_unit_test(the_limit_comes_before_all_else),
		cmocka_unit_test(a_slice_of_0_is_a_millisecond),
		cmocka_unit_test(the_absent_timer_is_watched),
		cmocka_unit_test(a_timer_that_does_not_signal_is_not_watched),
		cmocka_unit_test_teardown(an_expiry_is_delivered_once, no_rule_is_broken),
		cmocka_unit_test(a_cval_beyond_the_wrap_is_never_reached),
		cmocka_unit_test_teardown(both_timers_of_the_absent_are_watched, no_rule_is_broken),
		cmocka_unit_test(a_physical_timer_that_does_not_signal_is_not_watched),
		CNTP_TEST(an_emulated_timer_fires_at_its_tick),
		CNTP_TEST(a_line_that_nobody_lowers_comes_again),
		CNTP_TEST(an_emulated_timer_beside_a_turn),
		CNTP_TEST(an_emulated_timer_of_the_absent),
		CNTP_TEST(an_emulated_timer_that_is_overdue_when_its_vcpu_comes),
		cmocka_unit_test_teardown(an_interrupt_waits_for_the_turn, no_rule_is_broken),
		cmocka_unit_test_teardown(an_interrupt_switches_in_at_once, no_rule_is_broken),
		cmocka_unit_test(nobodys_interrupt_stays_away),
	};

	return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
