/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that the random sequences of the oracle do not reach, or reach seldom. */
#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/cores.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_model.h"
#include "tests/unit/vgic_oracle.h"

#define LR 4u /* maximum number of list registers */

/* A step of vCPU n */
#define BY(n, kind, intid, arg)                                                                    \
	{                                                                                          \
		STEP_##kind, n, intid, arg                                                         \
	}

/* Run the steps with 1, 2 and 4 list registers, with linked and unlinked interrupts, and with EOI
 * in one step and in two. */
static void run(unsigned vcpu_count, const struct vgic_step *steps, size_t count)
{
	static const unsigned lr_counts[] = { 1, 2, LR };

	for (unsigned i = 0; i < 4 * ARRAY_SIZE(lr_counts); i++) {
		const struct vgic_setup setup = { vcpu_count, lr_counts[i / 4], i & 1, i & 2,
						  NULL };
		const char *wrong = vgic_check(&setup, steps, count);

		if (wrong)
			fail_msg("%s", wrong);
	}
}

#define RUN_BY(vcpu_count, ...)                                                                    \
	do {                                                                                       \
		static const struct vgic_step steps[] = { __VA_ARGS__ };                           \
		run(vcpu_count, steps, ARRAY_SIZE(steps));                                         \
	} while (0)

/* Since 7 and 16 have no common divisor each priority occurs once, in mixed order. */
TEST(sixteen_pended_cost_few)
{
	cores_boot_as(1, LR, gic_splits_ends(), false);
	cores_count_anew();
	for (unsigned i = 0; i < 16; i++) {
		unsigned nth = i * 7 % 16;

		dist_write(0, GICD_IPRIORITYR + 40 + nth, 1, nth << 3);
		dist_write(0, GICD_ISENABLER + 4, 4, BIT(8 + nth));
		dist_write(0, GICD_ISPENDR + 4, 4, BIT(8 + nth));
	}
	assert_int_equal(cores_exits(), 0);
	for (unsigned i = 0; i < 16; i++)
		assert_takes(0, 40 + i);
	assert_in_range(cores_exits(), 1, 8);
	cores_check_rules();
}

#define TAKE(intid, priority)                                                                      \
	BY(0, PRIORITY, intid, priority), BY(0, PEND, intid, 0), BY(0, ACK, 0, 0)
#define END BY(0, EOI, 0, 0), BY(0, DIR, 0, 0)

/* If a vCPU slept before EL2 has followed up the end of an interrupt, such as the timer's, that
 * interrupt would not come again. */
TEST(nobody_sleeps_before_an_end_is_followed_up)
{
	RUN_BY(1, BY(0, LINE_HIGH, MODEL_TIMER, 0), BY(0, ACK, 0, 0),
	       BY(0, LINE_LOW, MODEL_TIMER, 0), BY(0, LATE, 0, 2), END, BY(0, WFI, 0, 0));
	RUN_BY(1, TAKE(96, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40),
	       END, END, END, END, BY(0, LATE, 0, 2), END, BY(0, WFI, 0, 0), BY(0, PEND, 96, 0),
	       BY(0, ACK, 0, 0));
}

/* A write to DIR that finds nothing active must not end an interrupt made active after it. */
TEST(an_end_of_nothing_is_forgotten)
{
	cores_boot_as(1, 2, false, true);
	spi_enable(32);
	dist_write(0, GICD_ISPENDR + 4, 4, 1);
	cpu_eoi(0, cpu_ack(0));
	dist_write(0, GICD_ICACTIVER + 4, 4, 1);
	cpu_deactivate(0, 32);
	dist_write(0, GICD_ISACTIVER + 4, 4, 2);
	assert_true(spi_is_active(33));
	cores_check_rules();
}

/* EOIs that deactivate out of order, with more active interrupts than list registers, are
 * UNPREDICTABLE (IHI 0048B 4.4.5). After the last EOI no interrupt is active. */
TEST(after_any_order_of_ends_nothing_is_left)
{
	static const unsigned order[] = { 3, 0, 5, 1, 4, 2 };

	for (unsigned link_hw = 0; link_hw < 2; link_hw++) {
		cores_boot_as(1, 2, link_hw, false);
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
			spi_enable(32 + i);
			dist_write(0, GICD_IPRIORITYR + 32 + i, 1, 0x80 - 8 * i);
			dist_write(0, GICD_ISPENDR + 4, 4, 1u << i);
			assert_int_equal(cpu_ack(0), 32 + i);
		}
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
			cpu_eoi(0, 32 + order[i]);
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
			assert_false(spi_is_active(32 + i));
			dist_write(0, GICD_ISPENDR + 4, 4, 1u << i);
			assert_takes(0, 32 + i);
		}
		cores_check_rules();
	}
}

/* vCPU 1 clears the SPI that vCPU 0 has accepted; vCPU 0 disables it before its core looks. */
TEST(a_clear_by_another_vcpu_outlives_a_disable)
{
	RUN_BY(2, BY(1, RAISE, 103, 0), BY(0, LATE, 0, 2), BY(1, UNPEND, 103, 0),
	       BY(0, DISABLE, 103, 0), BY(1, READ, 103, 0));
}

/* vCPU 2's core clears the SPI, accepts it again because its line is high, and then sees that the
 * distributor is off. */
TEST(a_clear_after_the_distributor_is_off_may_leave_a_latch)
{
	RUN_BY(4, BY(2, LINE_HIGH, 97, 0), BY(0, TARGET, 97, 2), BY(2, PUT, 0, 2),
	       BY(0, DIST, 0, 0), BY(0, UNPEND, 97, 0), BY(0, READ, 97, 0), BY(0, DIST, 0, 3),
	       BY(2, ACK, 0, 0), BY(3, LINE_LOW, 97, 0), BY(2, EOI, 0, 0), BY(2, DIR, 97, 0),
	       BY(0, READ, 97, 0));
}

/* vCPU 0's timer is disabled, and pending at the physical GIC. */
TEST(another_vcpu_clears_a_pending_ppi)
{
	if (gic_version() == 3) /* a GICv2 has no registers for another vCPU's PPIs */
		RUN_BY(2, BY(0, DISABLE, 27, 0), BY(0, PEND, 27, 0), BY(1, UNPEND, 27, 0),
		       BY(1, READ, 27, 0));
}

/* vCPU 0 ends an SPI that has arrived again, and activates it before its core looks at the end. */
TEST(an_spi_is_made_active_after_its_end)
{
	RUN_BY(1, BY(0, RAISE, 103, 0), BY(0, LATE, 0, 6), BY(0, PRIORITY, 0, 0), BY(0, ACK, 0, 0),
	       BY(0, LINE_HIGH, 103, 0), BY(0, ARRIVE, 103, 0), BY(0, EOI, 0, 0),
	       BY(0, LINE_LOW, 0, 0), BY(0, ACTIVATE, 103, 0));
}
