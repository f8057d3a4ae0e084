/* SPDX-License-Identifier: Apache-2.0 */
/* The vGIC and the interrupt that it forwards: the physical timer, level-sensitive. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "drivers/gic/gic_regs.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u

static void boot_unlinked(void)
{
	guest_boot(4, false, false);
}

static void handle_timer(void)
{
	assert_int_equal(guest_ack(), GUEST_TIMER);
	guest_timer(false);
	guest_eoi(GUEST_TIMER);
}

EACH_TEST(guest_boot_linked, guest_check_rules);
#define BOTH(test) TEST_BY(test, guest_boot_linked, boot_unlinked, guest_check_rules)

TEST(a_linked_timer_is_deactivated_by_the_guests_end)
{
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		guest_timer(true);
		handle_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), i); /* the interrupt itself, nothing else */
	}
	guest_assert_takes_nothing();
}

TEST_WITH(an_unlinked_timer_is_deactivated_by_the_hypervisor, boot_unlinked, guest_check_rules)
{
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		guest_timer(true);
		handle_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), 2 * i); /* and its end */
	}
	guest_assert_takes_nothing();
}

BOTH(a_line_that_stays_high_comes_again)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_assert_takes(GUEST_TIMER);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_assert_takes(GUEST_TIMER);
	handle_timer();
	guest_assert_takes_nothing();
	assert_int_equal(fake_gic_deactivations(GUEST_TIMER), 3);
}

BOTH(a_timer_comes_through_a_full_house)
{
	guest_enable(GUEST_TIMER, 0x10);
	for (unsigned i = 0; i < 6; i++)
		guest_enable_and_pend(SPI + i, (uint8_t)(0x40 + i * 8));
	guest_timer(true);
	handle_timer();
	for (unsigned i = 0; i < 6; i++)
		guest_assert_takes(SPI + i);
	guest_assert_takes_nothing();
	assert_int_equal(fake_gic_deactivations(GUEST_TIMER), 1);
}

BOTH(a_timer_disabled_while_pending_comes_once_enabled)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_set_enabled(GUEST_TIMER, false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_assert_takes_nothing();
	guest_set_enabled(GUEST_TIMER, true);
	handle_timer();
	guest_assert_takes_nothing();
}

BOTH(a_disabled_timer_is_only_a_line)
{
	unsigned exits;

	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_set_enabled(GUEST_TIMER, false);
	exits = guest_exits();
	guest_timer(false);
	guest_timer(true);
	guest_timer(false);
	assert_int_equal(guest_exits(), exits);
	assert_false(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_set_enabled(GUEST_TIMER, true);
	guest_assert_takes_nothing();
}

BOTH(a_timer_disabled_while_active_is_still_ended)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	assert_int_equal(guest_ack(), GUEST_TIMER);
	guest_set_enabled(GUEST_TIMER, false);
	guest_timer(false);
	guest_eoi(GUEST_TIMER);
	assert_int_equal(fake_gic_deactivations(GUEST_TIMER), 1);
	guest_set_enabled(GUEST_TIMER, true);
	guest_timer(true);
	handle_timer();
}

TEST(a_timer_cleared_while_its_line_is_high_stays_pending)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_write_bit(GICD_ICPENDR, GUEST_TIMER);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	handle_timer();
	guest_assert_takes_nothing();
}

TEST(a_timer_pended_by_software_comes_once)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_pend(GUEST_TIMER);
	guest_assert_takes(GUEST_TIMER);
	guest_assert_takes_nothing();
}

TEST(a_timer_pended_by_software_stays_so_while_disabled)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_set_enabled(GUEST_TIMER, false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_set_enabled(GUEST_TIMER, true);
	guest_assert_takes(GUEST_TIMER);
}

TEST(a_timer_pended_by_software_stays_so_while_the_distributor_is_off)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_set_dist_enabled(false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_set_dist_enabled(true);
	guest_assert_takes(GUEST_TIMER);
}

/* A fault planted between the hypervisor and the GIC: the guest's end is reported twice. */
TEST(a_second_deactivation_is_found)
{
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	handle_timer();
	gic_deactivate(GUEST_TIMER);
	assert_string_equal(fake_gic_violation(), "deactivated what is not active");
}
