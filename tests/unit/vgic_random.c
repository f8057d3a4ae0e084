/* SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <stdlib.h>

#include "hyp/vcpu/vgic.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"
#include "tests/unit/vgic_oracle.h"

#define STEPS 130000u /* of each version, all setups together */
#define LENGTH 500u   /* of a sequence: what went wrong is not far from its beginning */
#define SHORT 12u     /* at most so many steps show a planted fault */

static struct random source;

static unsigned draw(unsigned bound)
{
	return random_below(&source, bound);
}

static enum vgic_step_kind draw_kind(void)
{
	static const uint8_t weight[] = {
#define X(name, n) n,
		VGIC_STEPS(X)
#undef X
	};
	unsigned drawn = draw(128);
	unsigned kind = 0;

	while (kind + 1 < ARRAY_SIZE(weight) && drawn >= weight[kind])
		drawn -= weight[kind++];
	return (enum vgic_step_kind)kind;
}

/* Mostly what lets interrupts through; equal priorities are rarer than on most systems. */
static uint8_t draw_arg(enum vgic_step_kind kind)
{
	switch (kind) {
	case STEP_PRIORITY:
		return (uint8_t)(draw(32) << 3);
	case STEP_POINT:
		return draw(2) ? 0 : (uint8_t)draw(10);
	case STEP_MASK:
		return draw(4) ? 0xff : (uint8_t)draw(256);
	case STEP_DIST:
	case STEP_CPU_GROUPS:
		return draw(3) ? 3 : (uint8_t)draw(4);
	case STEP_GROUP:
	case STEP_EDGE:
		return (uint8_t)draw(2);
	default:
		return (uint8_t)draw(256);
	}
}

/* Steps that quiet the machine. */
static enum vgic_step_kind draw_service(void)
{
	static const enum vgic_step_kind service[] = { STEP_ACK, STEP_EOI, STEP_DIR };

	return service[draw(ARRAY_SIZE(service))];
}

/* Some sequences are about few interrupts and some about all, some are busy and some are calm. */
static void draw_steps(struct vgic_step *steps, size_t count, uint64_t seed)
{
	unsigned first, used, calm;

	random_init(&source, seed, 0);
	first = draw(VGIC_INTIDS);
	used = 1 + draw(VGIC_INTIDS);
	calm = draw(4);
	for (size_t i = 0; i < count; i++) {
		enum vgic_step_kind kind = draw(4) < calm ? draw_service() : draw_kind();

		steps[i] = (struct vgic_step){
			.kind = kind,
			.intid = vgic_intids[(first + draw(used)) % VGIC_INTIDS],
			.arg = draw_arg(kind),
		};
	}
	for (size_t i = 0; i < VGIC_INTIDS; i++) /* each another priority to begin with */
		steps[i] = (struct vgic_step){ STEP_PRIORITY, vgic_intids[i],
					       (uint8_t)(draw(31) << 3) };
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static const char *check_seed(const struct vgic_setup *setup, uint64_t seed)
{
	struct vgic_step steps[LENGTH];
	const char *wrong;

	draw_steps(steps, LENGTH, seed);
	wrong = vgic_check(setup, steps, LENGTH);
	if (wrong)
		print_error("SEED=%llu\n", (unsigned long long)seed);
	return wrong;
}

/* --- tests --- */

static const unsigned lr_counts[] = { 1, 2, 4 };

/* All setups of one sort, every seed with each. */
static void check(bool link_hw, bool split_eoi)
{
	uint64_t seed = from_environment("SEED", 1);
	uint64_t last = seed + from_environment("STEPS", STEPS) / LENGTH / 12;

	if (link_hw && !gic_splits_ends())
		return;
	for (; seed <= last; seed++)
		for (unsigned i = 0; i < ARRAY_SIZE(lr_counts); i++) {
			const struct vgic_setup setup = { lr_counts[i], link_hw, split_eoi, NULL };
			const char *wrong = check_seed(&setup, seed);

			if (wrong)
				fail_msg("%s", wrong);
		}
}

TEST(linked_interrupts_do_as_the_architecture_says)
{
	check(true, false);
}

TEST(unlinked_interrupts_do_as_the_architecture_says)
{
	check(false, false);
}

TEST(linked_ones_that_end_in_two_steps_do_so_too)
{
	check(true, true);
}

TEST(unlinked_ones_that_end_in_two_steps_do_so_too)
{
	check(false, true);
}

/* The tests before this one met what they are for. */
TEST(what_is_rare_was_met)
{
	print_message("acks %lu deeper %lu waiting %lu in_memory %lu traps %lu out_of_order %lu "
		      "late %lu many_sources %lu\n",
		      vgic_seen.acks, vgic_seen.deeper, vgic_seen.waiting, vgic_seen.in_memory,
		      vgic_seen.traps, vgic_seen.out_of_order, vgic_seen.late,
		      vgic_seen.many_sources);
	assert_true(vgic_seen.acks > 1000);
	assert_true(vgic_seen.deeper > 100);
	assert_true(vgic_seen.waiting > 1000);
	assert_true(vgic_seen.in_memory > 1000);
	assert_true(vgic_seen.traps > 100);
	assert_true(vgic_seen.out_of_order > 10);
	assert_true(vgic_seen.late > 100);
	assert_true(gic_version() > 2 || vgic_seen.many_sources > 100);
}

/* Of sequences that are right one with the fault is not: found, and shown by few steps. */
static void assert_found(const char *fault, void (*sabotage)(unsigned step))
{
	struct vgic_setup setup = { 2, gic_splits_ends(), false, sabotage };
	struct vgic_step steps[LENGTH];
	struct vgic_failure failure = { NULL, 0, 0 };
	size_t length;

	for (uint64_t seed = 1; seed <= 20 && !failure.what; seed++) {
		draw_steps(steps, LENGTH, seed);
		failure = vgic_oracle(&setup, steps, LENGTH);
	}
	if (!failure.what)
		fail_msg("not found: %s", fault);
	length = vgic_shrink(&setup, steps, failure.step + 1);
	if (length > SHORT)
		fail_msg("%s: %u steps are left", fault, (unsigned)length);
	assert_non_null(vgic_oracle(&setup, steps, length).what);
	setup.sabotage = NULL;
	assert_null(vgic_oracle(&setup, steps, length).what);
}

/* An interrupt that waits is forgotten. */
static void lose_one(unsigned step)
{
	struct vgic *vgic = &guest_vcpu.vgic;

	(void)step;
	for (unsigned i = GIC_SGI_COUNT; i < VIRQ_COUNT; i++)
		if (!vgic->virq[i].hw && vgic->virq[i].pending_latch) {
			vgic_dequeue(vgic, &vgic->virq[i]);
			vgic->virq[i].pending_latch = false;
		}
}

/* An interrupt comes that nothing pended. */
static void repeat_one(unsigned step)
{
	if (step % 3 == 0)
		vgic_set_pending(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[20], 0);
}

static void change_priority(unsigned step)
{
	if (step % 3 == 0)
		vgic_set_priority(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[32], 0xf0);
}

/* The physical interrupt is ended without the guest. */
static void deactivate_timer(unsigned step)
{
	(void)step;
	gic_deactivate(GUEST_TIMER);
}

/* An interrupt active in memory is forgotten. */
static void lose_active(unsigned step)
{
	struct vgic *vgic = &guest_vcpu.vgic;

	(void)step;
	for (unsigned i = 0; i < VIRQ_COUNT; i++)
		if (vgic->virq[i].spilled) {
			vgic->virq[i].spilled = false;
			vgic->spilled_count--;
		}
}

TEST(planted_faults_are_found_and_shown_by_few_steps)
{
	assert_found("lose_one", lose_one);
	assert_found("repeat_one", repeat_one);
	assert_found("change_priority", change_priority);
	assert_found("deactivate_timer", deactivate_timer);
	assert_found("lose_active", lose_active);
}
