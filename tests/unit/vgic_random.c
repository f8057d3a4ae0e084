/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences for the oracle, of one vCPU and of several, on the GIC version of the linked
 * driver. From the environment: STEPS, how many in all, in place of what `make unit-test` does;
 * SEED, where to begin, in place of 1. */
#include <stdlib.h>

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_model.h"
#include "tests/unit/vgic_oracle.h"

#define STEPS 200000u                   /* all setups together */
#define LENGTH 500u                     /* of a sequence: a fault is not far from its beginning */
#define FIRST (MODEL_INTIDS * VCPU_MAX) /* steps that give each another priority */
#define SHORT 12u                       /* at most so many steps show a planted fault */

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

/* Steps that quiet the machine. */
static enum vgic_step_kind draw_service(void)
{
	return draw(2) ? STEP_ACK : draw(3) ? STEP_EOI : STEP_DIR;
}

/* Of several vCPUs no physical interrupt is so little urgent that the core does not take it. */
static uint8_t draw_priority(bool alone)
{
	return (uint8_t)(draw(alone ? 32 : 30) << 3 | draw(8));
}

/* Mostly what lets interrupts through; equal priorities are rarer than on most systems. */
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

/* An interrupt that the step makes sense for; `at` is its place in model_intids[]. */
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

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
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

/* Every number of list registers and of vCPUs, in turns. */
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

/* The tests before this one met what they are for. GICv3 has no sources of SGIs. */
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

/* --- planted faults: of sequences that are right one with the fault is not --- */

static struct vgic *first_vgic(void)
{
	cores_on(0);
	return &cores_vm.vcpu[0]->vgic;
}

/* An interrupt that waits is forgotten. */
static void lose_one(const struct vgic_step *step, unsigned i)
{
	struct vgic *vgic = first_vgic();

	for (i = GIC_SGI_COUNT; i < VIRQ_COUNT; i++)
		if (!vgic->virq[i].hw && vgic->virq[i].pending_latch) {
			vgic_dequeue(vgic, &vgic->virq[i]);
			vgic->virq[i].pending_latch = false;
		}
}

/* An interrupt comes that nothing pended. */
static void repeat_one(const struct vgic_step *step, unsigned i)
{
	if (i % 3 == 0)
		vgic_set_pending(first_vgic(), &first_vgic()->virq[20], 0);
}

static void change_priority(const struct vgic_step *step, unsigned i)
{
	if (i % 3 == 0)
		vgic_set_priority(first_vgic(), &first_vgic()->virq[32], 0xf0);
}

/* The physical interrupt is ended without the guest. */
static void deactivate_timer(const struct vgic_step *step, unsigned i)
{
	cores_on(0);
	gic_deactivate(MODEL_TIMER);
}

/* An interrupt active in memory is forgotten. */
static void lose_active(const struct vgic_step *step, unsigned i)
{
	struct vgic *vgic = first_vgic();

	for (i = 0; i < VIRQ_COUNT; i++)
		if (vgic->virq[i].spilled) {
			vgic->virq[i].spilled = false;
			vgic->spilled_count--;
		}
}

/* The guest's registers, unknown to the model. */
static void write_spi(uint32_t bank, unsigned intid)
{
	dist_write(0, bank + intid / 32 * 4, 4, 1u << intid % 32);
}

/* What another core was asked for never comes. */
static void lose_posted(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_PEND && step->intid >= GIC_PRIVATE_COUNT)
		write_spi(GICD_ICPENDR, step->intid);
}

/* A new target does not get what is pending. */
static void lose_moved(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_TARGET && step->intid >= GIC_PRIVATE_COUNT)
		write_spi(GICD_ICPENDR, step->intid);
}

/* What was acknowledged is pending once more. */
static void deliver_twice(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_ACK && model_irq(0, 32)->active)
		write_spi(GICD_ISPENDR, 32);
}

/* An SGI comes from another vCPU than it was sent by; GICv3, which has no sources: not at all. */
static void lose_source(const struct vgic_step *step, unsigned i)
{
	if (step->kind != STEP_SGI)
		return;
	if (gic_version() == 2)
		dist_write(0, GICD_CPENDSGIR, 1, 1u << step->n);
	else
		redist_write(0, GICR_SGI_OFFSET + GICD_ICPENDR, 4, 1);
}

/* It stays active at the old target though the guest has ended it. */
static void lose_end(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_EOI && !model_irq(0, 32)->active)
		write_spi(GICD_ISACTIVER, 32);
}

/* The physical interrupt goes where the old target is. */
static void lose_route(const struct vgic_step *step, unsigned i)
{
	if (step->kind == STEP_TARGET)
		fake_gic.irq[103].elsewhere = true;
}

static const struct {
	const char *name;
	unsigned vcpu_count;
	void (*sabotage)(const struct vgic_step *step, unsigned i);
} faults[] = {
	{ "lose_one", 1, lose_one },
	{ "repeat_one", 1, repeat_one },
	{ "change_priority", 1, change_priority },
	{ "deactivate_timer", 1, deactivate_timer },
	{ "lose_active", 1, lose_active },
	{ "lose_posted", 3, lose_posted },
	{ "lose_moved", 3, lose_moved },
	{ "deliver_twice", 3, deliver_twice },
	{ "lose_source", 3, lose_source },
	{ "lose_end", 3, lose_end },
	{ "lose_route", 3, lose_route },
};

TEST(planted_faults_are_found_and_shown_by_few_steps)
{
	for (unsigned i = 0; i < ARRAY_SIZE(faults); i++) {
		struct vgic_setup setup = { faults[i].vcpu_count, 2, gic_splits_ends(), false,
					    faults[i].sabotage };
		struct vgic_step steps[LENGTH];
		struct vgic_failure failure = { NULL, 0, 0 };
		size_t length;

		for (uint64_t seed = 1; seed <= 20 && !failure.what; seed++) {
			draw_steps(steps, seed, setup.vcpu_count == 1);
			failure = vgic_oracle(&setup, steps, LENGTH);
		}
		if (!failure.what)
			fail_msg("not found: %s", faults[i].name);
		length = vgic_shrink(&setup, steps, failure.step + 1);
		if (length > SHORT)
			fail_msg("%s: %u steps are left", faults[i].name, (unsigned)length);
		assert_non_null(vgic_oracle(&setup, steps, length).what);
		setup.sabotage = NULL;
		assert_null(vgic_oracle(&setup, steps, length).what);
	}
}
