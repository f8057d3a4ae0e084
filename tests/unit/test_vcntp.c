/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the registers of an emulated CNTP, directly and as a guest accesses them, and of
 * CNTVOFF. test_sched.c tests when the timer fires and for which vCPU. */
/* LINK: exit-path drivers/gic/gicv2.c tests/unit/trap_vm.c */

#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vtimer.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define INTID 30u
#define LIMIT 1000000u
#define MRS_X5 1u | 5u << 5
#define MSR_X5 5u << 5

/* ISS of an access to S3_3_C14_C<crm>_<op2> (DDI 0487 D13.2.37), IL set */
#define TIMER_REGISTER(crm, op2)                                                                   \
	(0x18u << 26 | 1u << 25 | 3u << 20 | (op2) << 17 | 3u << 14 | 14u << 10 | (crm) << 1)
#define TVAL TIMER_REGISTER(2u, 0u)
#define CTL TIMER_REGISTER(2u, 1u)
#define CVAL TIMER_REGISTER(2u, 2u)
#define CNTPCT TIMER_REGISTER(0u, 1u)

static struct timer limit;

static void setup(void)
{
	const struct run_config config = { .cntp = CNTP_EMULATED };

	trap_setup();
	fake_counter_step = 0;
	fake_cntpct_el0 = 1000;
	timerq_stop(&limit);
	timerq_start(&limit, LIMIT);
	sched_reset(&config);
	vcntp_reset(vcpu);
	fake_vttbr_el2 = vcpu->vttbr;
	sched_add(vcpu);
	sched_begin();
}

static void write_by(uint32_t iss, uint64_t value)
{
	unsigned skipped = fake_hyp.skipped;

	vcpu->frame.x[5] = value;
	assert_ptr_equal(take(iss | MSR_X5), vcpu);
	assert_int_equal(fake_hyp.skipped, skipped + 1);
}

static uint64_t read_by(uint32_t iss)
{
	unsigned skipped = fake_hyp.skipped;

	vcpu->frame.x[5] = ~0ull;
	assert_ptr_equal(take(iss | MRS_X5), vcpu);
	assert_int_equal(fake_hyp.skipped, skipped + 1);
	return vcpu->frame.x[5];
}

EACH_TEST(setup, NULL);

/* ISTATUS ignores IMASK, compares unsigned values, and is 0 while the timer is off. */
TEST(istatus_is_the_condition)
{
	static const struct {
		uint64_t cval;
		bool met;
	} rows[] = { { 0, true },     { 999, true },         { 1000, true },
		     { 1001, false }, { 1ull << 63, false }, { UINT64_MAX, false } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned ctl = 0; ctl < 4; ctl++) {
			unsigned status = rows[i].met && (ctl & 1) ? 4 : 0;

			write_by(CVAL, rows[i].cval);
			write_by(CTL, ctl);
			assert_int_equal(read_by(CTL), ctl | status);
		}
}

TEST(tval_is_a_signed_distance)
{
	write_by(TVAL, 500);
	assert_int_equal(read_by(CVAL), 1500);
	assert_int_equal(read_by(TVAL), 500);
	fake_cntpct_el0 = 1600;
	assert_int_equal(read_by(TVAL), 0xffffff9c); /* 32 bits, and no more */
	write_by(TVAL, 0xffffffff);
	assert_int_equal(read_by(CVAL), 1599);
	write_by(TVAL, 0x80000000);
	assert_int_equal(read_by(CVAL), 1600 - 0x80000000ull);
	write_by(TVAL, 0x1234567800000001); /* the upper half is ignored */
	assert_int_equal(read_by(CVAL), 1601);
}

TEST(hyp_timer_waits_while_the_line_is_to_rise)
{
	write_by(CVAL, 2000);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT); /* off */
	write_by(CTL, 3);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT); /* masked */
	write_by(CTL, 1);
	assert_int_equal(fake_cnthp_cval_el2, 2000);
	write_by(CVAL, 3000);
	assert_int_equal(fake_cnthp_cval_el2, 3000);
	write_by(TVAL, 10);
	assert_int_equal(fake_cnthp_cval_el2, 1010);
	write_by(CVAL, 2 * LIMIT);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT); /* the limit is nearer */
	write_by(CVAL, 1000);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT); /* the line is high already */
	write_by(CTL, 0);
	assert_int_equal(fake_cnthp_cval_el2, LIMIT);
}

TEST(the_line_follows_every_write)
{
	guest_enable(INTID, 0x40);
	write_by(CVAL, 900);
	guest_assert_takes_nothing();
	write_by(CTL, 1);
	guest_assert_takes(INTID);
	write_by(CTL, 3);
	guest_assert_takes_nothing();
	write_by(CTL, 1);
	write_by(CVAL, 1100); /* before the guest takes it */
	guest_assert_takes_nothing();
	write_by(TVAL, 0);
	guest_assert_takes(INTID);
	write_by(CTL, 0);
	guest_assert_takes_nothing();
}

/* QEMU 7.2 traps a read of the counter, see hyp/arch/armv8/cpu.c. */
TEST(other_timer_registers_are_none_of_ours)
{
	assert_int_equal(read_by(CNTPCT), 1000);
	assert_null(take(CNTPCT | MSR_X5)); /* read-only: no core traps that */
	assert_null(take(TIMER_REGISTER(2u, 3u) | MRS_X5));
	assert_int_equal(fake_hyp.reason, FAULT_UNHANDLED_TRAP);
	assert_null(take(TIMER_REGISTER(3u, 1u) | MRS_X5)); /* CNTV_CTL */
}

TEST(the_offset_is_in_microseconds_and_below_the_counter)
{
	fake_cntfrq_el0 = 62500000;
	fake_cntpct_el0 = 1000000;
	assert_int_equal(vtimer_offset(0), 0);
	assert_int_equal(vtimer_offset(1000), 62500);
	assert_int_equal(vtimer_offset(16000), 1000000);
	assert_int_equal(vtimer_offset(16001), 1000000);
	assert_int_equal(vtimer_offset(VTIMER_FROM_0), 1000000);
	fake_cntpct_el0 = UINT64_MAX / 2;
	assert_int_equal(vtimer_offset(VTIMER_FROM_0), UINT64_MAX / 2);
	assert_int_equal(vtimer_offset(VTIMER_FROM_0 - 1), 4294967294ull * 125 / 2);
}

/* The timer was due while the vCPU was not loaded. */
TEST(a_reset_forgets_an_emulated_timer_that_was_due)
{
	fake_vttbr_el2 = vcpu->vttbr + 1;
	vcntp_expire(vcpu);
	fake_vttbr_el2 = vcpu->vttbr;
	vcntp_reset(vcpu);
	vtimer_load(vcpu);
	assert_false(vcpu->vgic.virq[INTID].level);
}
