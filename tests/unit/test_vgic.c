/* SPDX-License-Identifier: Apache-2.0 */
/* The vGIC's queue and list registers, one situation a test;
 * test_vgic_timer.c has the forwarded interrupt, test_vgic_random_*.c all in any order. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "drivers/gic/gic_regs.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u
#define SOURCE(n) ((n) << 10)

static void two_registers(void)
{
	guest_boot(2, true, false);
}

static void take(unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		guest_assert_takes(SPI + i);
}

EACH_TEST(guest_boot_linked, guest_check_rules);
#define BOTH(test) TEST_BY(test, guest_boot_linked, two_registers, guest_check_rules)

/* --- the queue --- */

TEST(a_pended_interrupt_comes_once)
{
	guest_enable_and_pend(SPI, 0x40);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	assert_int_equal(guest_ack(), SPI);
	assert_false(guest_read_bit(GICD_ISPENDR, SPI));
	assert_true(guest_read_bit(GICD_ISACTIVER, SPI));
	guest_eoi(SPI);
	assert_false(guest_read_bit(GICD_ISACTIVER, SPI));
	guest_assert_takes_nothing();
	assert_int_equal(guest_exits(), 0);
}

/* 7 and 16 have no common divisor: every priority once, in no order. */
static void pend_sixteen(void)
{
	for (unsigned i = 0; i < 16; i++)
		guest_enable_and_pend(SPI + i * 7 % 16, (uint8_t)(i * 7 % 16 << 3));
}

static void pend_six(void)
{
	for (unsigned i = 0; i < 6; i++)
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
}

BOTH(sixteen_pended_come_by_priority)
{
	pend_sixteen();
	take(0, 16);
	guest_assert_takes_nothing();
}

TEST(sixteen_pended_cost_few_exits)
{
	pend_sixteen();
	assert_int_equal(guest_exits(), 0);
	take(0, 16);
	assert_in_range(guest_exits(), 1, 8);
}

TEST(an_urgent_one_takes_the_place_of_the_least_urgent)
{
	for (unsigned i = 0; i < 4; i++)
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
	guest_enable_and_pend(SPI + 9, 0x10);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI + 3));
	guest_assert_takes(SPI + 9);
	take(0, 4);
	guest_assert_takes_nothing();
}

TEST(an_urgent_one_preempts)
{
	guest_enable_and_pend(SPI, 0x80);
	assert_int_equal(guest_ack(), SPI);
	guest_enable_and_pend(SPI + 1, 0x80);
	guest_assert_takes_nothing();
	guest_enable_and_pend(SPI + 2, 0x78);
	guest_assert_takes(SPI + 2);
	guest_assert_takes_nothing();
	guest_eoi(SPI);
	guest_assert_takes(SPI + 1);
}

/* SPI+0 is the innermost. */
static void activate(unsigned count)
{
	for (unsigned i = count; i-- > 0;) {
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
		assert_int_equal(guest_ack(), SPI + i);
	}
}

TEST(one_that_waits_for_active_ones_makes_no_storm)
{
	activate(4);
	guest_enable_and_pend(SPI + 9, 0xf0);
	assert_false(fake_gic_maintenance());
	assert_int_equal(guest_exits(), 0);
	for (unsigned i = 0; i < 4; i++)
		guest_eoi(SPI + i);
	guest_assert_takes(SPI + 9);
}

TEST(with_all_active_an_urgent_one_still_preempts)
{
	activate(4);
	guest_enable_and_pend(SPI + 9, 0x10);
	assert_int_equal(guest_exits(), 0);
	guest_assert_takes(SPI + 9);
	guest_eoi(SPI);
	guest_eoi(SPI + 1);
	guest_eoi(SPI + 2);
	guest_eoi(SPI + 3);
	guest_assert_takes_nothing();
}

TEST(with_all_but_one_active_the_waiting_one_still_preempts)
{
	activate(3);
	guest_enable_and_pend(SPI + 8, 0x08);
	guest_enable_and_pend(SPI + 9, 0x10);
	guest_assert_takes(SPI + 8);
	guest_assert_takes(SPI + 9);
	for (unsigned i = 0; i < 3; i++)
		guest_eoi(SPI + i);
	guest_assert_takes_nothing();
}

TEST(one_list_register_is_enough)
{
	guest_boot(1, true, false);
	pend_sixteen();
	take(0, 16);
	guest_assert_takes_nothing();
}

TEST(a_guest_that_ends_in_two_steps_loses_nothing)
{
	guest_boot(2, true, true);
	pend_sixteen();
	for (unsigned i = 0; i < 16; i++) {
		guest_assert_takes(SPI + i);
		assert_true(guest_read_bit(GICD_ISACTIVER, SPI + i));
		guest_deactivate(SPI + i);
	}
	guest_assert_takes_nothing();
}

/* --- SGIs --- */

TEST(an_sgi_keeps_its_source)
{
	guest_send_sgi(3, 5);
	guest_assert_takes(3 | SOURCE(5));
	guest_assert_takes_nothing();
}

TEST(sources_of_an_sgi_come_one_after_the_other)
{
	unsigned seen = 0;

	for (unsigned source = 0; source < 8; source++)
		guest_send_sgi(3, source);
	for (unsigned i = 0; i < 8; i++) {
		uint32_t iar = guest_ack();

		assert_int_equal(gic_intid(iar), 3);
		seen |= 1u << gic_source(iar);
		guest_eoi(iar);
	}
	assert_int_equal(seen, 0xff);
	guest_assert_takes_nothing();
}

TEST(a_second_source_waits_for_the_first_ones_end)
{
	guest_send_sgi(3, 0);
	assert_int_equal(guest_ack(), 3);
	guest_send_sgi(3, 1);
	assert_false(fake_gic_maintenance());
	assert_int_equal(guest_exits(), 0);
	guest_assert_takes_nothing();
	guest_eoi(3);
	guest_assert_takes(3 | SOURCE(1));
}

TEST(an_sgi_sent_again_while_active_comes_again)
{
	guest_send_sgi(3, 0);
	assert_int_equal(guest_ack(), 3);
	guest_send_sgi(3, 0);
	guest_send_sgi(3, 0);
	assert_true(guest_read_bit(GICD_ISPENDR, 3) && guest_read_bit(GICD_ISACTIVER, 3));
	guest_eoi(3);
	guest_assert_takes(3);
	guest_assert_takes_nothing();
}

/* --- what a guest programs --- */

TEST(a_disabled_one_waits_in_the_list_register)
{
	guest_enable_and_pend(SPI, 0x40);
	guest_set_enabled(SPI, false);
	assert_true(guest_read_bit(GICD_ISPENDR, SPI));
	guest_assert_takes_nothing();
	guest_set_enabled(SPI, true);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
}

TEST(a_disabled_one_waits_in_the_queue)
{
	pend_six();
	guest_set_enabled(SPI + 5, false);
	take(0, 5);
	guest_assert_takes_nothing();
	guest_set_enabled(SPI + 5, true);
	guest_assert_takes(SPI + 5);
}

TEST(disabled_while_active_it_ends_and_comes_again_once_enabled)
{
	guest_enable_and_pend(SPI, 0x40);
	assert_int_equal(guest_ack(), SPI);
	guest_set_enabled(SPI, false);
	guest_pend(SPI);
	assert_true(guest_read_bit(GICD_ISACTIVER, SPI));
	guest_eoi(SPI);
	guest_assert_takes_nothing();
	guest_set_enabled(SPI, true);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
}

TEST(an_interrupt_pended_before_it_is_enabled_comes_then)
{
	guest_pend(SPI);
	guest_assert_takes_nothing();
	guest_set_enabled(SPI, true);
	guest_assert_takes(SPI);
}

TEST(a_pending_one_goes_by_its_new_priority)
{
	pend_six();
	guest_set_priority(SPI, 0xa0);
	guest_set_priority(SPI + 5, 0x10);
	guest_assert_takes(SPI + 5);
	take(1, 5);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
}

TEST(pended_again_while_active_it_goes_by_its_new_priority)
{
	guest_enable_and_pend(SPI, 0x10);
	guest_enable_and_pend(SPI + 1, 0x40);
	assert_int_equal(guest_ack(), SPI);
	guest_set_priority(SPI, 0x80);
	guest_pend(SPI);
	guest_eoi(SPI);
	guest_assert_takes(SPI + 1);
	guest_assert_takes(SPI);
}

TEST(pended_twice_while_active_it_comes_once_more)
{
	guest_enable_and_pend(SPI, 0x10);
	assert_int_equal(guest_ack(), SPI);
	guest_pend(SPI);
	guest_set_priority(SPI, 0x80);
	guest_pend(SPI);
	guest_eoi(SPI);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
}

TEST(a_cleared_one_does_not_come)
{
	pend_six();
	guest_write_bit(GICD_ICPENDR, SPI + 1); /* in a list register */
	guest_write_bit(GICD_ICPENDR, SPI + 5); /* waiting */
	guest_assert_takes(SPI);
	take(2, 5);
	guest_assert_takes_nothing();
}

TEST(a_disabled_distributor_holds_everything_back)
{
	pend_six();
	guest_set_dist_enabled(false);
	guest_assert_takes_nothing();
	guest_enable_and_pend(SPI + 6, 0x10);
	guest_send_sgi(1, 0);
	guest_assert_takes_nothing();
	guest_set_dist_enabled(true);
	guest_assert_takes(1); /* priority 0 */
	guest_assert_takes(SPI + 6);
	take(0, 6);
	guest_assert_takes_nothing();
}

TEST(clearing_the_active_state_ends_it)
{
	guest_enable_and_pend(SPI, 0x40);
	assert_int_equal(guest_ack(), SPI);
	guest_write_bit(GICD_ICACTIVER, SPI);
	assert_false(guest_read_bit(GICD_ISACTIVER, SPI));
	guest_enable_and_pend(SPI + 1, 0x50); /* the priority is still raised */
	guest_assert_takes_nothing();
	guest_eoi(SPI);
	guest_assert_takes(SPI + 1);
}

/* --- WFI --- */

TEST(what_a_guest_would_wake_up_for_is_known)
{
	struct vgic *vgic = &guest_vcpu.vgic;

	assert_false(vgic_anything_pending(vgic));
	guest_enable_and_pend(SPI, 0x40);
	assert_true(vgic_anything_pending(vgic));
	assert_int_equal(guest_ack(), SPI);
	assert_false(vgic_anything_pending(vgic));
	guest_pend(SPI);
	assert_false(vgic_anything_pending(vgic)); /* not before its end */
	guest_eoi(SPI);
	assert_true(vgic_anything_pending(vgic));
	guest_set_enabled(SPI, false);
	assert_false(vgic_anything_pending(vgic));
}
