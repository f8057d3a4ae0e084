/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual interface of a guest to memory and back, with another one's in between, which has
 * none. The GIC version is that of the linked driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/gic_state.h"
#include "tests/unit/vgic_guest.h"

#define MASK 0xc0 /* PMR: what it lets through is more urgent */

static struct gic_virt_state kept;
static const struct gic_virt_state off;

static void away(void)
{
	gic_virt_save(&kept);
	gic_virt_restore(&off);
}

static void back(void)
{
	struct gic_virt_state other;

	gic_virt_save(&other);
	assert_int_equal(other.used, 0); /* nothing of the guest's was left to the other */
	gic_virt_restore(&kept);
}

static int boot(void **state)
{
	(void)state;
	guest_boot(4, true, true);
	fake_gic.guest.mask = MASK;
	return 0;
}

static void the_other_gets_nothing(void **state)
{
	(void)state;
	guest_enable_and_pend(50, 0x40);
	assert_true(fake_gic_virq());
	away();
	assert_false(fake_gic_virq());
	assert_int_equal(fake_gic.hcr, 0);
	assert_false(fake_gic.guest.groups);
	assert_int_equal(fake_gic_elrsr() & 0xf, 0xf);
	back();
	assert_int_equal(guest_ack(), 50);
	guest_eoi(50);
	guest_deactivate(50);
}

static void the_interface_is_as_the_guest_left_it(void **state)
{
	(void)state;
	away();
	fake_gic.guest.mask = 0;
	fake_gic.guest.split_eoi = false;
	back();
	assert_true(fake_gic.guest.groups && fake_gic.guest.split_eoi);
	assert_int_equal(fake_gic.guest.mask, MASK);
	guest_enable_and_pend(50, 0xc8);
	guest_assert_takes_nothing(); /* masked */
	guest_enable_and_pend(51, 0x40);
	assert_int_equal(guest_ack(), 51);
	guest_eoi(51);
	guest_deactivate(51);
}

/* Interrupted in a handler: it is active, its priority raised, another one pending. */
static void what_is_active_stays_active(void **state)
{
	(void)state;
	guest_enable_and_pend(50, 0x40);
	assert_int_equal(guest_ack(), 50);
	guest_enable_and_pend(51, 0x60);
	away();
	assert_int_equal(fake_gic.guest.active_prio[0] | fake_gic.guest.active_prio[1], 0);
	back();
	guest_assert_takes_nothing(); /* 51 is less urgent */
	guest_enable_and_pend(52, 0x20);
	assert_int_equal(guest_ack(), 52);
	guest_eoi(52);
	guest_deactivate(52);
	guest_eoi(50);
	guest_deactivate(50);
	assert_int_equal(guest_ack(), 51);
	guest_eoi(51);
	guest_deactivate(51);
	guest_assert_takes_nothing();
}

int gic_state_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_other_gets_nothing, boot, guest_check_rules),
		cmocka_unit_test_setup_teardown(the_interface_is_as_the_guest_left_it, boot,
						guest_check_rules),
		cmocka_unit_test_setup_teardown(what_is_active_stays_active, boot,
						guest_check_rules),
	};

	return cmocka_run_group_tests_name("gic_state", tests, NULL, NULL);
}
