/* SPDX-License-Identifier: Apache-2.0 */

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/cores.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_model.h"
#include "tests/unit/vgic_oracle.h"

#define LR 4u /* list registers at most; few enough steps are for fewer */

/* vCPU n's step */
#define BY(n, kind, intid, arg)                                                                    \
	{                                                                                          \
		STEP_##kind, n, intid, arg                                                         \
	}
#define STEP(kind, intid, arg) BY(0, kind, intid, arg)
#define PRIORITY(intid, value) STEP(PRIORITY, intid, value)
#define LINE_HIGH(intid) STEP(LINE_HIGH, intid, 0)
#define LINE_LOW(intid) STEP(LINE_LOW, intid, 0)
#define PEND(intid) STEP(PEND, intid, 0)
#define ACK STEP(ACK, 0, 0)
#define EOI STEP(EOI, 0, 0)
#define LATE(steps) STEP(LATE, 0, (steps)-1)
#define AWAY(intid) STEP(PUT, 0, 0), LINE_HIGH(intid) /* while another VM has the core */
#define WFI STEP(WFI, 0, 0)
#define DIR(intid) STEP(DIR, intid, 0)
#define ENABLE(intid) STEP(ENABLE, intid, 0)
#define DISABLE(intid) STEP(DISABLE, intid, 0)
#define TAKE(intid, priority) PRIORITY(intid, priority), PEND(intid), ACK
#define END EOI, DIR(0)

/* With 1, 2 and 4 list registers, linked or not, EOI in one step or two. Returns the most interrupt
 * exits that one of them took. */
static unsigned run(const struct vgic_step *steps, size_t count)
{
	static const unsigned lr_counts[] = { 1, 2, LR };
	unsigned most = 0;

	for (unsigned i = 0; i < 4 * ARRAY_SIZE(lr_counts); i++) {
		const struct vgic_setup setup = { 1, lr_counts[i / 4], i & 1, i & 2, NULL };
		const char *wrong = vgic_check(&setup, steps, count);

		if (wrong)
			fail_msg("%s", wrong);
		most = cores_exits() > most ? cores_exits() : most;
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
	    TAKE(39, 0x30), TAKE(20, 0x20), TAKE(96, 0x18), TAKE(MODEL_TIMER, 0x10), TAKE(0, 0),
	    END, END, END, END, END, END, END, END, END, END, ACK);
}

TEST(disabled_while_active_it_ends)
{
	RUN(TAKE(96, 0x40), DISABLE(96), END, PEND(96), ACK, ENABLE(96), ACK, END, TAKE(32, 0x40),
	    DISABLE(32), PEND(32), END, ACK, ENABLE(32), ACK, END);
	RUN(LINE_HIGH(MODEL_TIMER), ACK, DISABLE(MODEL_TIMER), LINE_LOW(MODEL_TIMER), END,
	    ENABLE(MODEL_TIMER), LINE_HIGH(MODEL_TIMER), ACK, LINE_LOW(MODEL_TIMER), END, ACK);
}

TEST(an_sgi_comes_from_eight_sources)
{
	RUN(STEP(SGI, 1, 0), STEP(SGI, 1, 1), STEP(SGI, 1, 2), STEP(SGI, 1, 3), STEP(SGI, 1, 4),
	    STEP(SGI, 1, 5), STEP(SGI, 1, 6), STEP(SGI, 1, 7), STEP(UNPEND, 1, 0x24), ACK,
	    STEP(SGI, 1, 0), END, ACK, END, ACK, END, ACK, END, ACK, END, ACK, END, ACK, END, ACK);
}

TEST(an_edge_comes_once_and_is_kept)
{
	RUN(STEP(EDGE, 33, 1), LINE_HIGH(33), LINE_LOW(33), ACK, LINE_HIGH(33), END, ACK, END, ACK);
	RUN(DISABLE(96), STEP(EDGE, 96, 1), LINE_HIGH(96), LINE_LOW(96), ENABLE(96), ACK,
	    LINE_HIGH(96), END, ACK, END, ACK);
}

TEST(what_is_made_active_by_hand_is_not_signalled)
{
	RUN(STEP(ACTIVATE, 32, 0), PEND(32), ACK, STEP(DEACTIVATE, 32, 0), ACK, END,
	    STEP(ACTIVATE, 96, 0), LINE_HIGH(96), ACK, STEP(DEACTIVATE, 96, 0), ACK, LINE_LOW(96),
	    END, ACK, PEND(1), STEP(ACTIVATE, 1, 0), ACK, STEP(DEACTIVATE, 1, 0), ACK, END);
}

TEST(a_group_that_is_off_blocks_no_list_register)
{
	RUN(STEP(GROUP, 39, 1), STEP(CPU_GROUPS, 0, 2), PEND(32), PEND(33), PEND(34), PEND(35),
	    PEND(36), PRIORITY(39, 0xf0), PEND(39), ACK, END, PEND(39), STEP(CPU_GROUPS, 0, 1), ACK,
	    END, ACK, END, STEP(DIST, 0, 2), ACK, STEP(CPU_GROUPS, 0, 3), ACK, END,
	    STEP(DIST, 0, 3), ACK, END, ACK, END, ACK, END, ACK);
}

/* The CPU interface signals the group from then on, and the distributor does not forward it. */
TEST(a_group_that_the_distributor_holds_back_is_in_no_list_register)
{
	RUN(STEP(CPU_GROUPS, 0, 2), STEP(DIST, 0, 0), LINE_HIGH(32), LINE_HIGH(33),
	    STEP(GROUP, 32, 1), STEP(DIST, 0, 2), STEP(CPU_GROUPS, 0, 3), PRIORITY(32, 0xd0), ACK);
}

/* Also where nothing but one write to a list register is left to do. */
TEST(it_comes_in_the_group_that_it_is_in_by_then)
{
	RUN(PEND(33), ACK, END, STEP(GROUP, 33, 1), PEND(33), ACK, END, STEP(GROUP, 33, 0),
	    PEND(33), ACK, END, LINE_HIGH(MODEL_TIMER), ACK, LINE_LOW(MODEL_TIMER), END,
	    STEP(GROUP, MODEL_TIMER, 1), LINE_HIGH(MODEL_TIMER), ACK);
}

/* Another VM has the core when they come. */
TEST(what_comes_meanwhile_is_there_after_it)
{
	RUN(TAKE(32, 0x80), LATE(2), PEND(MODEL_TIMER), AWAY(96), DISABLE(MODEL_TIMER), END, ACK,
	    LINE_LOW(96), END, ENABLE(MODEL_TIMER), ACK, END, ACK);
	RUN(LINE_HIGH(MODEL_TIMER), ACK, LATE(3), EOI, DIR(0), AWAY(MODEL_TIMER), ACK,
	    LINE_LOW(MODEL_TIMER), END, ACK);
}

/* An interrupt that it ended would not come again, its timer among them. */
TEST(nobody_sleeps_before_an_end_is_followed_up)
{
	RUN(LINE_HIGH(MODEL_TIMER), ACK, LINE_LOW(MODEL_TIMER), LATE(3), EOI, DIR(0), WFI);
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
	RUN(STEP(POINT, 0, 8), TAKE(33, 0x58), STEP(DEACTIVATE, 33, 0), STEP(ACTIVATE, 33, 0), END,
	    PEND(33), ACK, END);
	RUN(STEP(POINT, 0, 7), TAKE(33, 0xa8), TAKE(34, 0x58), STEP(GROUP, 34, 1),
	    STEP(DEACTIVATE, 34, 0), STEP(ACTIVATE, 34, 0), END, PEND(34), ACK, END, END);
}

/* An interrupt cleared by ICACTIVER and then ended, where another one has its priority since. */
TEST(what_is_owed_no_longer_is_forgotten)
{
	RUN(PEND(0), PEND(96), ACK, STEP(DEACTIVATE, 0, 0), END, PEND(0), ACK, STEP(ACTIVATE, 0, 0),
	    END, ACK);
	RUN(PEND(0), ACK, STEP(DEACTIVATE, 0, 0), END, PEND(96), ACK, STEP(ACTIVATE, 0, 0),
	    PEND(33), END, ACK, END);
}

/* A write to DIR that finds nothing active does not end what is made active after it. */
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

/* Ends that deactivate, out of order, with more active than list registers: UNPREDICTABLE
 * (IHI 0048B 4.4.5). When the last of them has come nothing is left active. */
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

/* --- races of two vCPUs: a core is late, or has another VM, until the last step --- */

static void run_race(const struct vgic_step *steps, size_t count)
{
	const struct vgic_setup setup = { 2, LR, true, false, NULL };
	const char *wrong = vgic_check(&setup, steps, count);

	if (wrong)
		fail_msg("%s", wrong);
}

#define RACE(...)                                                                                  \
	({                                                                                         \
		static const struct vgic_step steps[] = { __VA_ARGS__ };                           \
		run_race(steps, ARRAY_SIZE(steps));                                                \
	})

/* The second ISPENDR takes the ICPENDR back, and the raise comes on top of the first one. */
TEST(a_raise_may_follow_an_spi_that_a_late_core_still_has)
{
	RACE(BY(0, TARGET, 96, 1), BY(0, PEND, 96, 0), BY(1, LATE, 96, 3), BY(0, UNPEND, 96, 0),
	     BY(0, PEND, 96, 0), BY(0, RAISE, 96, 0));
}

/* The late core takes the level once more, then the SPI has no target. */
TEST(a_late_core_may_take_a_level_that_has_no_target)
{
	RACE(BY(0, TARGET, 96, 1), BY(0, LINE_HIGH, 96, 0), BY(1, ACK, 96, 0), BY(1, LATE, 96, 2),
	     BY(0, TARGET, 96, 2), BY(0, EOI, 96, 0), BY(0, READ, 96, 0));
}

/* The raise comes after the ICPENDR, though the core takes it before. */
TEST(an_spi_that_comes_after_icpendr_stays_at_a_vcpu_that_is_not_loaded)
{
	RACE(BY(0, TARGET, 96, 1), BY(1, PUT, 96, 1), BY(0, UNPEND, 96, 0), BY(0, RAISE, 96, 0),
	     BY(0, READ, 96, 0));
}

/* List register 0, which the SPI had last, is another VM's. */
TEST(an_spi_leaves_list_registers_of_another_vm_alone)
{
	RACE(BY(1, PEND, 97, 0), BY(0, ACK, 97, 0), BY(0, EOI, 97, 0), BY(0, PUT, 97, 1),
	     BY(1, LINE_HIGH, 97, 0), BY(1, READ, 97, 0), BY(1, READ, 97, 0));
}

/* Software pends the SPI after its end, which EL2 has not seen: a list register has it by then. */
TEST(an_spi_whose_retarget_ends_is_in_one_list_register)
{
	RACE(BY(0, TARGET, 32, 1), BY(1, LINE_HIGH, 32, 0), BY(1, ACK, 32, 0), BY(1, LATE, 32, 5),
	     BY(1, TARGET, 32, 0), BY(1, EOI, 32, 0), BY(1, PEND, 32, 0), BY(1, TARGET, 32, 2));
}

/* The vCPU that has the SPI is not loaded, and does not know that it has no target. */
TEST(an_spi_without_a_target_may_arrive)
{
	RACE(BY(0, PUT, 103, 2), BY(1, TARGET, 103, 2), BY(0, ARRIVE, 103, 0), BY(1, READ, 103, 0));
}

/* The late core sees no change: the SPI stays with the vCPU, and pending at the physical GIC. */
TEST(an_spi_may_be_disabled_and_enabled_unseen)
{
	RACE(BY(0, RAISE, 97, 0), BY(0, RAISE, 97, 0), BY(0, LATE, 97, 2), BY(1, DISABLE, 97, 0),
	     BY(1, ENABLE, 97, 0), BY(1, READ, 97, 0));
}
