/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual interface of a guest to memory and back, with another one's in between, which has
 * none. The GIC version is that of the linked driver. */

#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
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

static void boot(void)
{
	guest_boot(4, true, true);
	fake_gic.guest.mask = MASK;
}

EACH_TEST(boot, guest_check_rules);

TEST(the_other_gets_nothing)
{
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

TEST(the_interface_is_as_the_guest_left_it)
{
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
TEST(what_is_active_stays_active)
{
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
