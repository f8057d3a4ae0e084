/* SPDX-License-Identifier: Apache-2.0 */

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"
#include "tests/unit/vgic_oracle.h"

#define LR 4u /* list registers at most; few enough steps are for fewer */

#define PRIORITY(intid, value)                                                                     \
	{                                                                                          \
		STEP_PRIORITY, intid, value                                                        \
	}
#define LINE(intid, high)                                                                          \
	{                                                                                          \
		high ? STEP_LINE_HIGH : STEP_LINE_LOW, intid, 0                                    \
	}
#define PEND(intid)                                                                                \
	{                                                                                          \
		STEP_PEND, intid, 0                                                                \
	}
#define ACK                                                                                        \
	{                                                                                          \
		STEP_ACK, 0, 0                                                                     \
	}
#define EOI                                                                                        \
	{                                                                                          \
		STEP_EOI, 0, 0                                                                     \
	}
#define LATE(steps)                                                                                \
	{                                                                                          \
		STEP_LATE, 0, (steps)-1                                                            \
	}
#define AWAY(intid)                                                                                \
	{                                                                                          \
		STEP_AWAY, intid, 0                                                                \
	} /* whose line rises */
#define WFI                                                                                        \
	{                                                                                          \
		STEP_WFI, 0, 0                                                                     \
	}
#define EOI_OTHER(nth)                                                                             \
	{                                                                                          \
		STEP_EOI_OTHER, 0, nth                                                             \
	}
#define DIR(index)                                                                                 \
	{                                                                                          \
		STEP_DIR, 0, index                                                                 \
	} /* of vgic_intids[] */
#define ENABLE(intid)                                                                              \
	{                                                                                          \
		STEP_ENABLE, intid, 0                                                              \
	}
#define DISABLE(intid)                                                                             \
	{                                                                                          \
		STEP_DISABLE, intid, 0                                                             \
	}
#define TAKE(intid, priority) PRIORITY(intid, priority), PEND(intid), ACK
#define END EOI, DIR(0)
#define END_LATE LATE(3), EOI, DIR(0) /* and the next one */

/* With 1, 2 and 4 list registers, linked or not, EOI in one step or two. Returns the most interrupt
 * exits that one of them took. */
static unsigned run(const struct vgic_step *steps, size_t count)
{
	static const unsigned lr_counts[] = { 1, 2, LR };
	unsigned most = 0;

	for (unsigned i = 0; i < 4 * ARRAY_SIZE(lr_counts); i++) {
		const struct vgic_setup setup = { lr_counts[i / 4], i & 1, i & 2, NULL };
		const char *wrong = vgic_check(&setup, steps, count);

		if (wrong)
			fail_msg("%s", wrong);
		most = guest_exits() > most ? guest_exits() : most;
	}
	return most;
}

#define RUN(...)                                                                                   \
	({                                                                                         \
		static const struct vgic_step steps[] = { __VA_ARGS__ };                           \
		run(steps, ARRAY_SIZE(steps));                                                     \
	})

/* One that is less urgent than all that are active waits, and does not interrupt meanwhile. */
TEST(all_active_and_one_more_of_lower_priority_make_no_storm)
{
	assert_in_range(RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50),
			    PRIORITY(36, 0xf0), PEND(36), ACK, PRIORITY(39, 0xe0), PEND(39), ACK),
			0, 6);
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), PRIORITY(36, 0xe8),
	    PEND(36), END, END, END, ACK, END, ACK, END, ACK);
}

TEST(nesting_goes_deeper_than_the_list_registers)
{
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40),
	    TAKE(39, 0x30), TAKE(20, 0x20), TAKE(96, 0x18), TAKE(GUEST_TIMER, 0x10), TAKE(0, 0),
	    END, END, END, END, END, END, END, END, END, END, ACK);
}

/* Those that went to memory too, linked ones among them. */
TEST(deeper_ones_come_again)
{
	RUN(TAKE(96, 0x80), TAKE(GUEST_TIMER, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40),
	    PEND(96), PEND(GUEST_TIMER), PEND(34), END, END, END, END, END, ACK, END, ACK, END, ACK,
	    END, ACK);
}

TEST(disabled_while_active_it_ends)
{
	RUN(TAKE(96, 0x40), DISABLE(96), END, PEND(96), ACK, ENABLE(96), ACK, END, TAKE(32, 0x40),
	    DISABLE(32), PEND(32), END, ACK, ENABLE(32), ACK, END);
	RUN(LINE(GUEST_TIMER, true), ACK, DISABLE(GUEST_TIMER), LINE(GUEST_TIMER, false), END,
	    ENABLE(GUEST_TIMER), LINE(GUEST_TIMER, true), ACK, LINE(GUEST_TIMER, false), END, ACK);
}

TEST(disabled_in_memory_it_ends)
{
	RUN(TAKE(96, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40),
	    DISABLE(96), DISABLE(33), PEND(96), END, END, END, END, END, ACK, ENABLE(96), ACK, END);
}

TEST(disabled_while_pending_it_waits)
{
	RUN(PRIORITY(36, 0xf0), PEND(36), DISABLE(36), ACK, ENABLE(36), ACK, END, LINE(96, true),
	    DISABLE(96), ACK, LINE(96, false), ENABLE(96), ACK, END, ACK);
}

TEST(an_sgi_comes_from_eight_sources)
{
	RUN({ STEP_SGI, 1, 0 }, { STEP_SGI, 1, 1 }, { STEP_SGI, 1, 2 }, { STEP_SGI, 1, 3 },
	    { STEP_SGI, 1, 4 }, { STEP_SGI, 1, 5 }, { STEP_SGI, 1, 6 }, { STEP_SGI, 1, 7 },
	    { STEP_UNPEND, 1, 0x24 }, ACK, { STEP_SGI, 1, 0 }, END, ACK, END, ACK, END, ACK, END,
	    ACK, END, ACK, END, ACK, END, ACK);
}

TEST(a_line_that_falls_before_the_acknowledge)
{
	RUN(LINE(33, true), LINE(33, false), ACK, LINE(33, true), PEND(33), LINE(33, false), ACK,
	    END, ACK);
	RUN(LINE(GUEST_TIMER, true), LINE(GUEST_TIMER, false), ACK, END, ACK,
	    LINE(GUEST_TIMER, true), LINE(GUEST_TIMER, false), DISABLE(GUEST_TIMER),
	    ENABLE(GUEST_TIMER), ACK);
	RUN(LINE(96, true), LINE(96, false), { STEP_UNPEND, 96, 0 }, ACK);
}

TEST(a_line_that_stays_high_comes_again)
{
	RUN(LINE(33, true), ACK, END, ACK, END, ACK, LINE(33, false), END, ACK);
	RUN(LINE(96, true), ACK, END, ACK, END, ACK, LINE(96, false), END, ACK);
}

TEST(an_edge_comes_once_and_is_kept)
{
	RUN({ STEP_EDGE, 33, 1 }, LINE(33, true), LINE(33, false), ACK, LINE(33, true), END, ACK,
	    END, ACK);
	RUN(DISABLE(96), { STEP_EDGE, 96, 1 }, LINE(96, true), LINE(96, false), ENABLE(96), ACK,
	    LINE(96, true), END, ACK, END, ACK);
}

TEST(ends_come_out_of_order)
{
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(96, 0x60), EOI_OTHER(2), EOI_OTHER(1), EOI, ACK,
	    DIR(0), DIR(0), DIR(0), TAKE(32, 0x80), END, ACK);
}

/* In two steps: the second ones come in any order, whatever is in memory by then. */
TEST(ends_in_two_steps_come_out_of_order)
{
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(96, 0x50), TAKE(36, 0x40),
	    TAKE(0, 0x30), EOI, EOI, EOI, EOI, EOI, EOI, PEND(33), DIR(9), ACK, DIR(14), PEND(96),
	    DIR(8), DIR(12), ACK, END, DIR(0), DIR(0), ACK, END);
}

TEST(what_is_made_active_by_hand_is_not_signalled)
{
	RUN({ STEP_ACTIVATE, 32, 0 }, PEND(32), ACK, { STEP_DEACTIVATE, 32, 0 }, ACK, END,
	    { STEP_ACTIVATE, 96, 0 }, LINE(96, true), ACK, { STEP_DEACTIVATE, 96, 0 }, ACK,
	    LINE(96, false), END, ACK, PEND(1), { STEP_ACTIVATE, 1, 0 }, ACK,
	    { STEP_DEACTIVATE, 1, 0 }, ACK, END);
}

TEST(a_group_that_is_off_blocks_no_list_register)
{
	RUN({ STEP_GROUP, 39, 1 }, { STEP_CPU_GROUPS, 0, 2 }, PEND(32), PEND(33), PEND(34),
	    PEND(35), PEND(36), PRIORITY(39, 0xf0), PEND(39), ACK, END, PEND(39),
	    { STEP_CPU_GROUPS, 0, 1 }, ACK, END, ACK, END, { STEP_DIST, 0, 2 }, ACK,
	    { STEP_CPU_GROUPS, 0, 3 }, ACK, END, { STEP_DIST, 0, 3 }, ACK, END, ACK, END, ACK, END,
	    ACK);
}

/* Also where nothing but one write to a list register is left to do. */
TEST(it_comes_in_the_group_that_it_is_in_by_then)
{
	RUN(PEND(33), ACK, END, { STEP_GROUP, 33, 1 }, PEND(33), ACK, END, { STEP_GROUP, 33, 0 },
	    PEND(33), ACK, END, LINE(GUEST_TIMER, true), ACK, LINE(GUEST_TIMER, false), END,
	    { STEP_GROUP, GUEST_TIMER, 1 }, LINE(GUEST_TIMER, true), ACK);
}

TEST(a_forwarded_one_in_a_group_that_is_off_stays_where_it_is)
{
	RUN({ STEP_GROUP, 96, 1 }, { STEP_DIST, 0, 1 }, LINE(96, true), ACK, LINE(96, false),
	    { STEP_DIST, 0, 3 }, ACK, LINE(96, true), { STEP_DIST, 0, 1 }, ACK, { STEP_DIST, 0, 3 },
	    ACK, LINE(96, false), END, ACK, END, ACK);
}

/* The maintenance interrupt takes its time: an exit that comes before it sees the end. */
TEST(an_end_that_an_exit_sees_first_is_followed_up)
{
	RUN(LINE(33, true), ACK, END_LATE, { STEP_DEACTIVATE, 34, 0 }, ACK, END_LATE,
	    { STEP_ACTIVATE, 34, 0 }, ACK, END_LATE, PRIORITY(34, 0x10), ACK, END_LATE,
	    LINE(33, false), ACK);
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40), END,
	    END, END, PEND(32), END_LATE, PEND(33), END_LATE, { STEP_DEACTIVATE, 34, 0 }, ACK, END,
	    ACK, END);
}

/* Another VM has the core when they come. */
TEST(what_comes_meanwhile_is_there_after_it)
{
	RUN(TAKE(32, 0x80), LATE(2), PEND(GUEST_TIMER), AWAY(96), DISABLE(GUEST_TIMER), END, ACK,
	    LINE(96, false), END, ENABLE(GUEST_TIMER), ACK, END, ACK);
	RUN(LINE(GUEST_TIMER, true), ACK, LATE(3), EOI, DIR(0), AWAY(GUEST_TIMER), ACK,
	    LINE(GUEST_TIMER, false), END, ACK);
}

/* An interrupt that it ended would not come again, its timer among them. */
TEST(nobody_sleeps_before_an_end_is_followed_up)
{
	RUN(LINE(GUEST_TIMER, true), ACK, LINE(GUEST_TIMER, false), LATE(3), EOI, DIR(0), WFI);
	RUN(TAKE(96, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40), LATE(6),
	    END, END, END, END, END, WFI, PEND(96), ACK);
}

/* Its priority is active again, by another one, before the hypervisor looks. */
TEST(an_end_in_memory_and_an_acknowledge_behind_it)
{
	RUN(TAKE(32, 0x80), TAKE(33, 0x40), PRIORITY(34, 0x40), PEND(34), LATE(3), EOI, DIR(0), ACK,
	    PEND(33), END, ACK, END, END, ACK);
	RUN(TAKE(32, 0x80), TAKE(33, 0x40), PRIORITY(34, 0x10), PEND(34), LATE(3), EOI, DIR(0), ACK,
	    PEND(33), END, ACK, END, END, ACK);
}

/* Its active priority is that of all of its group priority. */
TEST(made_active_again_it_is_ended_whatever_the_binary_point)
{
	RUN({ STEP_POINT, 0, 8 }, TAKE(33, 0x58), { STEP_DEACTIVATE, 33, 0 },
	    { STEP_ACTIVATE, 33, 0 }, END, PEND(33), ACK, END);
	RUN({ STEP_POINT, 0, 7 }, TAKE(33, 0xa8), TAKE(34, 0x58), { STEP_GROUP, 34, 1 },
	    { STEP_DEACTIVATE, 34, 0 }, { STEP_ACTIVATE, 34, 0 }, END, PEND(34), ACK, END, END);
}

TEST(acknowledged_twice_it_is_ended_twice)
{
	RUN(PRIORITY(36, 0xf0), LINE(20, true), ACK, PEND(36), PRIORITY(20, 0x30),
	    { STEP_DEACTIVATE, 20, 0 }, ACK, EOI, { STEP_DEACTIVATE, 20, 0 }, LINE(20, false),
	    { STEP_ACTIVATE, 20, 0 }, END, PEND(20), ACK, END);
}

/* An interrupt cleared by ICACTIVER and then ended, where another one has its priority since. */
TEST(what_is_owed_no_longer_is_forgotten)
{
	RUN(PEND(0), PEND(96), ACK, { STEP_DEACTIVATE, 0, 0 }, END, PEND(0), ACK,
	    { STEP_ACTIVATE, 0, 0 }, END, ACK);
	RUN(PEND(0), ACK, { STEP_DEACTIVATE, 0, 0 }, END, PEND(96), ACK, { STEP_ACTIVATE, 0, 0 },
	    PEND(33), END, ACK, END);
}

/* GICv3 may count the first of two steps. */
TEST(an_end_in_two_steps_is_none_before_the_second)
{
	RUN(TAKE(32, 0x80), TAKE(33, 0x70), TAKE(34, 0x60), TAKE(35, 0x50), TAKE(36, 0x40), EOI,
	    { STEP_DEACTIVATE, 36, 0 }, EOI, EOI, EOI, EOI, PEND(32), ACK, DIR(0), DIR(0), DIR(0),
	    DIR(0), ACK, END, TAKE(32, 0x80), { STEP_DEACTIVATE, 32, 0 }, EOI,
	    { STEP_ACTIVATE, 33, 0 }, PEND(33), ACK, { STEP_DEACTIVATE, 33, 0 }, ACK, END);
}

/* A write to DIR that finds nothing active does not end what is made active after it. */
TEST(an_end_of_nothing_is_forgotten)
{
	guest_boot(2, false, true);
	guest_enable_and_pend(32, 0x40);
	guest_eoi(guest_ack());
	guest_write_bit(GICD_ICACTIVER, 32);
	guest_deactivate(32);
	guest_write_bit(GICD_ISACTIVER, 33);
	assert_true(guest_read_bit(GICD_ISACTIVER, 33));
	guest_check_rules();
}

/* Ends that deactivate, out of order, with more active than list registers: UNPREDICTABLE
 * (IHI 0048B 4.4.5). When the last of them has come nothing is left active. */
TEST(after_any_order_of_ends_nothing_is_left)
{
	static const unsigned order[] = { 3, 0, 5, 1, 4, 2 };

	for (unsigned link_hw = 0; link_hw < 2; link_hw++) {
		guest_boot(2, link_hw, false);
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
			guest_enable_and_pend(32 + i, (uint8_t)(0x80 - 8 * i));
			assert_int_equal(guest_ack(), 32 + i);
		}
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
			guest_eoi(32 + order[i]);
		for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
			assert_false(
				vgic_is_active(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[32 + i]));
			guest_pend(32 + i);
			guest_assert_takes(32 + i);
		}
		guest_check_rules();
	}
}
