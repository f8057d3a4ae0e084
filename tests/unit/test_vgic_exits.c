/* SPDX-License-Identifier: Apache-2.0 */
/* How many exits an interrupt costs; test_vgic_random_*.c have what the guest sees. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u

static void boot_unlinked(void)
{
	guest_boot(4, false, false);
}

EACH_TEST(guest_boot_linked, guest_check_rules);

TEST(an_interrupt_of_software_costs_none)
{
	guest_enable_and_pend(SPI, 0x40);
	guest_assert_takes(SPI);
	guest_assert_takes_nothing();
	assert_int_equal(guest_exits(), 0);
}

/* 7 and 16 have no common divisor: every priority once, in no order. */
TEST(sixteen_pended_cost_few)
{
	for (unsigned i = 0; i < 16; i++)
		guest_enable_and_pend(SPI + i * 7 % 16, (uint8_t)(i * 7 % 16 << 3));
	assert_int_equal(guest_exits(), 0);
	for (unsigned i = 0; i < 16; i++)
		guest_assert_takes(SPI + i);
	assert_in_range(guest_exits(), 1, 8);
}

/* SPI is the innermost. */
TEST(with_all_active_neither_an_urgent_one_nor_another_costs_any)
{
	for (unsigned i = 4; i-- > 0;) {
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
		assert_int_equal(guest_ack(), SPI + i);
	}
	guest_enable_and_pend(SPI + 8, 0xf0);
	guest_enable_and_pend(SPI + 9, 0x10);
	assert_int_equal(guest_exits(), 0);
	guest_assert_takes(SPI + 9);
	for (unsigned i = 0; i < 4; i++)
		guest_eoi(SPI + i);
	guest_assert_takes(SPI + 8);
}

TEST(a_second_source_of_an_sgi_costs_none_before_the_first_ones_end)
{
	guest_enable(1, 0x40);
	guest_send_sgi(1, 0);
	assert_int_equal(guest_ack(), 1);
	guest_send_sgi(1, 3);
	assert_int_equal(guest_exits(), 0);
	guest_eoi(1);
	guest_assert_takes(1 | 3 << 10);
}

TEST(a_line_that_falls_before_the_acknowledge_costs_none)
{
	guest_enable(SPI, 0x40);
	guest_line(SPI, true);
	guest_line(SPI, false);
	guest_assert_takes_nothing();
	assert_int_equal(guest_exits(), 0);
}

static void take_timer(void)
{
	guest_timer(true);
	assert_int_equal(guest_ack(), GUEST_TIMER);
	guest_timer(false);
	guest_eoi(GUEST_TIMER);
}

TEST(a_linked_timer_costs_one)
{
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		take_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), i);
	}
}

TEST_WITH(an_unlinked_timer_costs_its_end_too, boot_unlinked, guest_check_rules)
{
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		take_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), 2 * i);
	}
}

TEST(the_line_of_a_disabled_timer_costs_none)
{
	for (unsigned i = 0; i < 3; i++) {
		guest_timer(true);
		guest_timer(false);
	}
	assert_int_equal(guest_exits(), 0);
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
