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

TEST(nothing_is_wrong_after_a_reset)
{
	assert_false(fake_gic_irq());
	assert_false(fake_gic_virq());
	assert_false(fake_gic_maintenance());
	assert_int_equal(gic_ack(), GIC_SPURIOUS);
	assert_int_equal(fake_gic_guest_ack(), GIC_SPURIOUS);
	assert_null(fake_gic_violation());
}

TEST(a_line_is_signalled_until_it_is_active)
{
	fake_gic_line(PPI, true);
	assert_true(fake_gic_irq() && gic_is_pending(PPI));
	assert_int_equal(gic_ack(), PPI);
	gic_eoi(PPI);
	assert_true(gic_is_active(PPI) && gic_is_pending(PPI));
	assert_false(fake_gic_irq());
	gic_deactivate(PPI);
	assert_true(fake_gic_irq());
	fake_gic_line(PPI, false);
	assert_false(fake_gic_irq());
}

TEST(a_raised_priority_masks_the_rest)
{
	gic_enable(40);
	gic_set_priority(PPI, 0x40);
	gic_set_priority(40, 0x48);
	gic_set_pending(40);
	gic_set_pending(PPI);
	assert_int_equal(gic_ack(), PPI);
	assert_false(fake_gic_irq());
	gic_eoi(PPI);
	assert_int_equal(gic_ack(), 40);
}

TEST(the_guest_takes_list_registers_by_priority)
{
	gic_lr_write(0, pending(50, 0x80));
	gic_lr_write(3, pending(51, 0x40));
	assert_int_equal(gic_lr_empty(), 0x6);
	assert_int_equal(fake_gic_guest_ack(), 51);
	assert_false(fake_gic_virq());
	fake_gic_guest_eoi(51);
	assert_int_equal(fake_gic_guest_ack(), 50);
	assert_int_equal(gic_lr_state(gic_lr_read(0)), GIC_LR_ACTIVE);
	fake_gic_guest_eoi(50);
	assert_int_equal(gic_lr_empty(), 0xf);
}

TEST(an_end_that_was_asked_for_is_reported)
{
	gic_lr_write(1, gic_lr_with_eoi_irq(pending(50, 0x80)));
	fake_gic_guest_eoi(fake_gic_guest_ack());
	assert_true(fake_gic_maintenance());
	assert_int_equal(gic_lr_ended(), 0x2);
	assert_int_equal(gic_lr_empty(), 0xd);
	gic_lr_write(1, 0);
	assert_false(fake_gic_maintenance());
	assert_int_equal(gic_lr_empty(), 0xf);
}

TEST(a_linked_end_deactivates_the_physical_interrupt)
{
	gic_set_pending(PPI);
	gic_eoi(gic_ack());
	gic_lr_write(0, linked(PPI, GIC_LR_PENDING));
	fake_gic_guest_eoi(fake_gic_guest_ack());
	assert_false(gic_is_active(PPI));
	assert_int_equal(fake_gic_deactivations(PPI), 1);
	assert_null(fake_gic_violation());
}

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
