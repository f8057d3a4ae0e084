/* SPDX-License-Identifier: Apache-2.0 */
/* The fake GIC itself: what it does of its own, and the faults it must find. */
/* LINK: drivers/gic/gicv2.c drivers/gic/gic_dist.c */

#include "drivers/gic/gic_virt.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/unit.h"

#define PPI 27u

static void setup(void)
{
	fake_reset();
	fake_gic_reset(4);
	gic_set_bases(&fake_gic_bases);
	assert_int_equal(gic_virt_init(), 4);
	gic_dist_reset();
	gic_cpu_init(true);
	gic_virt_reset();
	fake_gic_guest_init(false);
	gic_enable(PPI);
}

static uint64_t pending(unsigned vintid, uint8_t priority)
{
	const struct gic_lr lr = {
		.vintid = vintid,
		.state = GIC_LR_PENDING,
		.priority = priority,
	};

	return gic_lr_encode(&lr);
}

static uint64_t linked(unsigned intid, enum gic_lr_state state)
{
	const struct gic_lr lr = {
		.vintid = intid,
		.state = state,
		.priority = 0x80,
		.hw = true,
		.pintid = intid,
	};

	return gic_lr_encode(&lr);
}

static void assert_broken(const char *rule)
{
	assert_string_equal(fake_gic_violation(), rule);
}

EACH_TEST(setup, NULL);

/* --- planted faults --- */

TEST(a_deactivation_too_many)
{
	gic_deactivate(PPI);
	assert_broken("deactivated what is not active");
}

TEST(an_end_too_many)
{
	gic_eoi(PPI);
	assert_broken("an EOI without an acknowledge");
}

TEST(one_interrupt_in_two_list_registers)
{
	gic_lr_write(0, pending(50, 0x80));
	gic_lr_write(1, pending(50, 0x80));
	assert_broken("one interrupt stands in two list registers");
}

TEST(a_valid_list_register_overwritten)
{
	gic_lr_write(0, pending(50, 0x80));
	gic_lr_write(0, pending(51, 0x80));
	assert_broken("a valid list register is overwritten");
}

TEST(an_end_overwritten)
{
	gic_lr_write(0, gic_lr_with_eoi_irq(pending(50, 0x80)));
	fake_gic_guest_eoi(fake_gic_guest_ack());
	gic_lr_write(0, pending(51, 0x80));
	assert_broken("an ended interrupt is overwritten before it was seen");
}

TEST(a_link_to_what_is_not_active)
{
	gic_lr_write(0, linked(PPI, GIC_LR_PENDING));
	assert_broken("a list register is linked to what is not active");
}

TEST(a_linked_one_pending_and_active)
{
	gic_set_pending(PPI);
	gic_eoi(gic_ack());
	gic_lr_write(0, linked(PPI, GIC_LR_PENDING_ACTIVE));
	assert_broken("a linked interrupt is pending and active in a list register");
}

TEST(a_list_register_that_is_not_there)
{
	gic_lr_write(4, pending(50, 0x80));
	assert_broken("a list register that is not there");
}

/* A maintenance interrupt for ever: nothing waits, and "none pending" is left on. */
TEST(none_pending_left_on)
{
	gic_virt_set_events(GIC_VIRT_NONE_PENDING);
	assert_true(fake_gic_maintenance());
	gic_virt_set_events(0);
	assert_false(fake_gic_maintenance());
}
