/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences for the oracle, with one vCPU and with several, on the GIC version of the linked
 * driver. Environment variables: STEPS is the total number of steps in place of the default of
 * `make unit-test`; SEED is the first seed in place of 1. */
#include "drivers/gic/gic_regs.h"
#include "lib/random.h"
#include "tests/unit/cores.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_model.h"
#include "tests/unit/vgic_oracle.h"

#define STEPS 200000u /* all setups together */
#define LENGTH 500u   /* steps of a sequence; a fault shows soon after its beginning */
#define FIRST (MODEL_INTIDS * VCPU_MAX) /* steps that first give each interrupt another priority */
#define SHORT 12u                       /* maximum number of steps to show a planted fault */

static struct random source;

static unsigned draw(unsigned bound)
{
	return random_below(&source, bound);
}

static enum vgic_step_kind draw_kind(bool alone)
{
	static const uint8_t weights[][2] = {
#define X(name, act, alone, several) { several, alone },
		VGIC_STEPS(X)
#undef X
	};
	unsigned sum = 0, kind = 0, drawn;

	for (unsigned i = 0; i < STEP_KINDS; i++)
		sum += weights[i][alone];
	for (drawn = draw(sum); drawn >= weights[kind][alone]; kind++)
		drawn -= weights[kind][alone];
	return (enum vgic_step_kind)kind;
}

/* Draw a step that takes or ends an interrupt. */
static enum vgic_step_kind draw_service(void)
{
	return draw(2) ? STEP_ACK : draw(3) ? STEP_EOI : STEP_DIR;
}

/* With several vCPUs draw no priority at which the core would not take a physical interrupt. */
static uint8_t draw_priority(bool alone)
{
	return (uint8_t)(draw(alone ? 32 : 30) << 3 | draw(8));
}

/* Draw mostly arguments that let interrupts through. Few priorities are equal. */
static uint8_t draw_arg(enum vgic_step_kind kind, bool alone)
{
	switch (kind) {
	case STEP_PRIORITY:
		return draw_priority(alone);
	case STEP_POINT:
		return draw(2) ? 0 : (uint8_t)draw(10);
	case STEP_MASK:
		return draw(4) ? 0xff : (uint8_t)draw(256);
	case STEP_DIST:
	case STEP_CPU_GROUPS:
		return draw(3) ? 3 : (uint8_t)draw(4);
	default:
		return (uint8_t)draw(256);
	}
}

/* Return an interrupt for which the step makes sense. `at` is an index into model_intids[]. */
static uint8_t fit(enum vgic_step_kind kind, unsigned at, bool alone)
{
	unsigned spi = MODEL_PRIVATE + at % (MODEL_INTIDS - MODEL_PRIVATE);

	switch (kind) {
	case STEP_SGI:
		return model_intids[at % 4];
	case STEP_RAISE:
	case STEP_ARRIVE:
		return model_intids[MODEL_INTIDS - 1 - at % 3];
	case STEP_TARGET:
		return model_intids[spi];
	case STEP_LINE_HIGH:
	case STEP_LINE_LOW:
		return model_intids[alone ? at : spi];
	default:
		return model_intids[at];
	}
}

/* Some sequences are about few interrupts and some about all, some are busy and some are calm. */
static void draw_steps(struct vgic_step *steps, uint64_t seed, bool alone)
{
	unsigned first, used, calm;

	random_init(&source, seed, alone);
	first = draw(MODEL_INTIDS);
	used = 1 + draw(MODEL_INTIDS);
	calm = draw(alone ? 4 : 3);
	for (size_t i = 0; i < LENGTH; i++) {
		enum vgic_step_kind kind = draw(4) < calm ? draw_service() : draw_kind(alone);
		unsigned at = (first + draw(used)) % MODEL_INTIDS;

		steps[i] = (struct vgic_step){ kind, (uint8_t)draw(VCPU_MAX), fit(kind, at, alone),
					       draw_arg(kind, alone) };
	}
	for (size_t i = 0; i < FIRST; i++)
		steps[i] = (struct vgic_step){ STEP_PRIORITY, (uint8_t)(i % VCPU_MAX),
					       model_intids[i / VCPU_MAX], draw_priority(alone) };
}

static void check_seed(unsigned vcpu_count, uint64_t seed, bool link_hw, bool split_eoi)
{
	const struct vgic_setup setup = { vcpu_count, 1u << seed / 3 % 3, link_hw, split_eoi,
					  NULL };
	struct vgic_step steps[LENGTH];
	const char *wrong;

	draw_steps(steps, seed, vcpu_count == 1);
	wrong = vgic_check(&setup, steps, LENGTH);
	if (wrong)
		fail_msg("SEED=%llu: %s", (unsigned long long)seed, wrong);
}

/* Check every number of list registers and of vCPUs in turn. */
static void check(bool link_hw, bool split_eoi)
{
	uint64_t seed = from_environment("SEED", 1);
	uint64_t last = seed + from_environment("STEPS", STEPS) / LENGTH / 8;

	if (link_hw && !gic_splits_ends())
		return;
	for (; seed <= last; seed++) {
		check_seed(1, seed, link_hw, split_eoi);
		check_seed(2 + (unsigned)(seed % 3), seed, link_hw, split_eoi);
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

/* The tests before this one must have met every rare event. SGIs of GICv3 have no sources. */
TEST(what_is_rare_was_met)
{
	if (gic_version() > 2)
		vgic_seen.sources = vgic_seen.senders = ~0ul;
#define X(name, least)                                                                             \
	print_message("%s: %lu, at least %u\n", #name, vgic_seen.name, least);                     \
	assert_true(vgic_seen.name >= least);
	VGIC_SEEN(X)
#undef X
}

/* Plant a fault: an SPI loses its pending state when it gets a new target. */
static void lose_moved(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_TARGET && step->intid >= GIC_PRIVATE_COUNT)
		dist_write(0, GICD_ICPENDR + step->intid / 32 * 4, 4, 1u << step->intid % 32);
}

/* Without the fault the shortened sequence must pass. */
TEST(a_planted_fault_is_found_and_shown_by_few_steps)
{
	struct vgic_setup setup = { 3, 2, gic_splits_ends(), false, lose_moved };
	struct vgic_step steps[LENGTH];
	struct vgic_failure failure = { NULL, 0, 0 };
	size_t length;

	for (uint64_t seed = 1; seed <= 20 && !failure.what; seed++) {
		draw_steps(steps, seed, false);
		failure = vgic_oracle(&setup, steps, LENGTH);
	}
	assert_non_null(failure.what);
	length = vgic_shrink(&setup, steps, failure.step + 1);
	assert_in_range(length, 1, SHORT);
	assert_non_null(vgic_oracle(&setup, steps, length).what);
	setup.sabotage = NULL;
	assert_null(vgic_oracle(&setup, steps, length).what);
}
