/* SPDX-License-Identifier: Apache-2.0 */
/* The vGIC and the interrupt that it forwards: the physical timer, level-sensitive. */
/* LINK: exit-path drivers/gic/gicv2.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "drivers/gic/gic_regs.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/vgic_guest.h"

#define SPI 40u

static int boot_unlinked(void **state)
{
	(void)state;
	guest_boot(4, false, false);
	return 0;
}

static void handle_timer(void)
{
	assert_int_equal(guest_ack(), GUEST_TIMER);
	guest_timer(false);
	guest_eoi(GUEST_TIMER);
}

static void a_linked_timer_is_deactivated_by_the_guests_end(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		guest_timer(true);
		handle_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), i); /* the interrupt itself, nothing else */
	}
	guest_assert_takes_nothing();
}

static void an_unlinked_timer_is_deactivated_by_the_hypervisor(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	for (unsigned i = 1; i <= 10; i++) {
		guest_timer(true);
		handle_timer();
		assert_int_equal(fake_gic_deactivations(GUEST_TIMER), i);
		assert_int_equal(guest_exits(), 2 * i); /* and its end */
	}
	guest_assert_takes_nothing();
}

static void a_line_that_stays_high_comes_again(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_assert_takes(GUEST_TIMER);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_assert_takes(GUEST_TIMER);
	handle_timer();
	guest_assert_takes_nothing();
	assert_int_equal(fake_gic_deactivations(GUEST_TIMER), 3);
}

static void a_timer_comes_through_a_full_house(void **state)
{
	(void)state;
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

static void a_timer_disabled_while_pending_comes_once_enabled(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_set_enabled(GUEST_TIMER, false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_assert_takes_nothing();
	guest_set_enabled(GUEST_TIMER, true);
	handle_timer();
	guest_assert_takes_nothing();
}

static void a_disabled_timer_is_only_a_line(void **state)
{
	unsigned exits;

	(void)state;
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

static void a_timer_disabled_while_active_is_still_ended(void **state)
{
	(void)state;
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

static void a_timer_cleared_while_its_line_is_high_stays_pending(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	guest_write_bit(GICD_ICPENDR, GUEST_TIMER);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	handle_timer();
	guest_assert_takes_nothing();
}

static void a_timer_pended_by_software_comes_once(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_pend(GUEST_TIMER);
	guest_assert_takes(GUEST_TIMER);
	guest_assert_takes_nothing();
}

static void a_timer_pended_by_software_stays_so_while_disabled(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_set_enabled(GUEST_TIMER, false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_set_enabled(GUEST_TIMER, true);
	guest_assert_takes(GUEST_TIMER);
}

static void a_timer_pended_by_software_stays_so_while_the_distributor_is_off(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_pend(GUEST_TIMER);
	guest_set_dist_enabled(false);
	assert_true(guest_read_bit(GICD_ISPENDR, GUEST_TIMER));
	guest_set_dist_enabled(true);
	guest_assert_takes(GUEST_TIMER);
}

/* A fault planted between the hypervisor and the GIC: the guest's end is reported twice. */
static void a_second_deactivation_is_found(void **state)
{
	(void)state;
	guest_enable(GUEST_TIMER, 0x40);
	guest_timer(true);
	handle_timer();
	gic_deactivate(GUEST_TIMER);
	assert_string_equal(fake_gic_violation(), "deactivated what is not active");
}

#define TEST(name, boot) cmocka_unit_test_setup_teardown(name, boot, guest_check_rules)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_linked_timer_is_deactivated_by_the_guests_end, guest_boot_linked),
		TEST(an_unlinked_timer_is_deactivated_by_the_hypervisor, boot_unlinked),
		TEST(a_line_that_stays_high_comes_again, guest_boot_linked),
		TEST(a_line_that_stays_high_comes_again, boot_unlinked),
		TEST(a_timer_comes_through_a_full_house, guest_boot_linked),
		TEST(a_timer_comes_through_a_full_house, boot_unlinked),
		TEST(a_timer_disabled_while_pending_comes_once_enabled, guest_boot_linked),
		TEST(a_timer_disabled_while_pending_comes_once_enabled, boot_unlinked),
		TEST(a_disabled_timer_is_only_a_line, guest_boot_linked),
		TEST(a_disabled_timer_is_only_a_line, boot_unlinked),
		TEST(a_timer_disabled_while_active_is_still_ended, guest_boot_linked),
		TEST(a_timer_disabled_while_active_is_still_ended, boot_unlinked),
		TEST(a_timer_cleared_while_its_line_is_high_stays_pending, guest_boot_linked),
		TEST(a_timer_pended_by_software_comes_once, guest_boot_linked),
		TEST(a_timer_pended_by_software_stays_so_while_disabled, guest_boot_linked),
		TEST(a_timer_pended_by_software_stays_so_while_the_distributor_is_off,
		     guest_boot_linked),
		TEST(a_second_deactivation_is_found, guest_boot_linked),
	};

	return cmocka_run_group_tests_name("vgic_timer", tests, NULL, NULL);
}
