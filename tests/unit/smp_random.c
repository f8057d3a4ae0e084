/* SPDX-License-Identifier: Apache-2.0 */

#include <stdio.h>
#include <stdlib.h>

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/smp_model.h"
#include "tests/unit/smp_oracle.h"
#include "tests/unit/unit.h"

#define STEPS 100000u                /* of each version, all setups together */
#define LENGTH 400u                  /* of a sequence */
#define FIRST (SMP_SLOTS * VCPU_MAX) /* steps that give each another priority */
#define SHORT 12u                    /* at most so many steps show a planted fault */

static struct random source;

static unsigned draw(unsigned bound)
{
	return random_below(&source, bound);
}

static enum smp_step_kind draw_kind(void)
{
	static const uint8_t weight[] = {
#define X(name, n) n,
		SMP_STEPS(X)
#undef X
	};
	unsigned drawn = draw(128);
	unsigned kind = 0;

	while (kind + 1 < ARRAY_SIZE(weight) && drawn >= weight[kind])
		drawn -= weight[kind++];
	return (enum smp_step_kind)kind;
}

/* One that the step makes sense for. */
static uint8_t fit(enum smp_step_kind kind, unsigned slot)
{
	switch (kind) {
	case SMP_SGI:
		return (uint8_t)(slot % (SMP_PRIVATE - 1));
	case SMP_RAISE:
	case SMP_ARRIVE:
		return (uint8_t)(SMP_SLOTS - 1 - slot % 3);
	case SMP_TARGET:
	case SMP_LINE_HIGH:
	case SMP_LINE_LOW:
		return (uint8_t)(slot < SMP_PRIVATE ? SMP_SLOTS - 1 - slot : slot);
	default:
		return (uint8_t)slot;
	}
}

/* Some sequences are about few interrupts and some about all, some are calm. */
static void draw_steps(struct smp_step *steps, size_t count, uint64_t seed)
{
	unsigned first, used, calm;

	random_init(&source, seed, 1);
	first = draw(SMP_SLOTS);
	used = 1 + draw(SMP_SLOTS);
	calm = draw(3);
	for (size_t i = 0; i < count; i++) {
		steps[i] = (struct smp_step){ draw_kind(), (uint8_t)draw(VCPU_MAX),
					      (uint8_t)((first + draw(used)) % SMP_SLOTS),
					      (uint8_t)draw(256) };
		if (draw(4) < calm)
			steps[i].kind = draw(2) ? SMP_ACK : draw(3) ? SMP_EOI : SMP_DIR;
		steps[i].slot = fit(steps[i].kind, steps[i].slot);
		if (i < FIRST)
			steps[i] = (struct smp_step){ SMP_PRIORITY, (uint8_t)(i % VCPU_MAX),
						      (uint8_t)(i / VCPU_MAX), (uint8_t)draw(256) };
	}
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void check_seed(const struct smp_setup *setup, uint64_t seed)
{
	struct smp_step steps[LENGTH];
	struct smp_failure failure;
	size_t length;

	draw_steps(steps, LENGTH, seed);
	failure = smp_oracle(setup, steps, LENGTH);
	if (!failure.what)
		return;
	length = smp_shrink(setup, steps, failure.step + 1);
	print_error("SEED=%llu\n", (unsigned long long)seed);
	smp_print(setup, steps, length);
	fail_msg("%s", failure.what);
}

/* Every number of list registers and of vCPUs, in turns. */
static void check(bool link_hw, bool split_eoi)
{
	uint64_t seed = from_environment("SEED", 1);
	uint64_t last = seed + from_environment("STEPS", STEPS) / LENGTH / 4;

	for (; seed <= last; seed++) {
		const struct smp_setup setup = { 2 + (unsigned)(seed % 3), 1u << seed / 3 % 3,
						 link_hw, split_eoi, NULL };

		check_seed(&setup, seed);
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

TEST(what_is_rare_was_met)
{
	print_message("acks %lu compared %lu late_acks %lu moved_pending %lu moved_active %lu "
		      "unrouted %lu arrived %lu many_sources %lu races %lu\n",
		      smp_seen.acks, smp_seen.compared, smp_seen.late_acks, smp_seen.moved_pending,
		      smp_seen.moved_active, smp_seen.unrouted, smp_seen.arrived,
		      smp_seen.many_sources, smp_seen.races);
	assert_true(smp_seen.acks > 1000);
	assert_true(smp_seen.compared > 1000);
	assert_true(smp_seen.late_acks > 100);
	assert_true(smp_seen.moved_pending > 100);
	assert_true(smp_seen.moved_active > 100);
	assert_true(smp_seen.unrouted > 100);
	assert_true(smp_seen.arrived > 10);
	assert_true(smp_seen.races > 10);
	assert_true(gic_version() > 2 || smp_seen.many_sources > 100);
}

/* --- races that few seeds meet: a core is late, or has another VM, until the last step --- */

static void check_race(const struct smp_step *steps, size_t count)
{
	const struct smp_setup setup = { 2, 4, true, false, NULL };

	if (smp_oracle(&setup, steps, count).what) {
		smp_print(&setup, steps, count);
		fail();
	}
}

/* The second ISPENDR takes the ICPENDR back, and the raise comes on top of the first one. */
TEST(a_raise_may_follow_an_spi_that_a_late_core_still_has)
{
	static const struct smp_step steps[] = {
		{ SMP_TARGET, 0, 7, 1 }, { SMP_PEND, 0, 7, 0 }, { SMP_LATE, 1, 7, 4 },
		{ SMP_UNPEND, 0, 7, 0 }, { SMP_PEND, 0, 7, 0 }, { SMP_RAISE, 0, 7, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* The late core takes the level once more, then the SPI has no target. */
TEST(a_late_core_may_take_a_level_that_has_no_target)
{
	static const struct smp_step steps[] = {
		{ SMP_TARGET, 0, 7, 1 }, { SMP_LINE_HIGH, 0, 7, 0 }, { SMP_ACK, 1, 7, 0 },
		{ SMP_LATE, 1, 7, 3 },   { SMP_TARGET, 0, 7, 2 },    { SMP_EOI, 1, 7, 0 },
		{ SMP_READ, 0, 7, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* The raise comes after the ICPENDR, though the core takes it before. */
TEST(an_spi_that_comes_after_icpendr_stays_at_a_vcpu_that_is_not_loaded)
{
	static const struct smp_step steps[] = {
		{ SMP_TARGET, 0, 7, 1 }, { SMP_PUT, 1, 7, 2 },  { SMP_UNPEND, 0, 7, 0 },
		{ SMP_RAISE, 0, 7, 0 },  { SMP_READ, 0, 7, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* List register 0, which the SPI had last, is another VM's. */
TEST(an_spi_leaves_list_registers_of_another_vm_alone)
{
	static const struct smp_step steps[] = {
		{ SMP_PEND, 1, 8, 0 }, { SMP_ACK, 0, 8, 0 },       { SMP_EOI, 0, 8, 0 },
		{ SMP_PUT, 0, 8, 2 },  { SMP_LINE_HIGH, 1, 8, 0 }, { SMP_READ, 1, 8, 0 },
		{ SMP_READ, 1, 8, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* Software pends the SPI after its end, which EL2 has not seen: a list register has it by then. */
TEST(an_spi_whose_retarget_ends_is_in_one_list_register)
{
	static const struct smp_step steps[] = {
		{ SMP_TARGET, 0, 4, 1 }, { SMP_LINE_HIGH, 1, 4, 0 }, { SMP_ACK, 1, 4, 0 },
		{ SMP_LATE, 1, 4, 6 },   { SMP_TARGET, 1, 4, 0 },    { SMP_EOI, 1, 4, 0 },
		{ SMP_PEND, 1, 4, 0 },   { SMP_TARGET, 1, 4, 2 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* The vCPU that has the SPI is not loaded, and does not know that it has no target. */
TEST(an_spi_without_a_target_may_arrive)
{
	static const struct smp_step steps[] = {
		{ SMP_PUT, 0, 9, 3 },
		{ SMP_TARGET, 1, 9, 2 },
		{ SMP_ARRIVE, 0, 9, 0 },
		{ SMP_READ, 1, 9, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* The late core sees no change: the SPI stays with the vCPU, and pending at the physical GIC. */
TEST(an_spi_may_be_disabled_and_enabled_unseen)
{
	static const struct smp_step steps[] = {
		{ SMP_RAISE, 0, 8, 0 },   { SMP_RAISE, 0, 8, 0 },  { SMP_LATE, 0, 8, 3 },
		{ SMP_DISABLE, 1, 8, 0 }, { SMP_ENABLE, 1, 8, 0 }, { SMP_READ, 1, 8, 0 },
	};

	check_race(steps, ARRAY_SIZE(steps));
}

/* --- planted faults --- */

static void assert_found(const char *fault, void (*sabotage)(const struct smp_step *step))
{
	struct smp_setup setup = { 3, 2, true, false, sabotage };
	struct smp_step steps[LENGTH];
	struct smp_failure failure = { NULL, 0, 0 };
	size_t length;

	for (uint64_t seed = 1; seed <= 20 && !failure.what; seed++) {
		draw_steps(steps, LENGTH, seed);
		failure = smp_oracle(&setup, steps, LENGTH);
	}
	if (!failure.what)
		fail_msg("not found: %s", fault);
	length = smp_shrink(&setup, steps, failure.step + 1);
	if (length > SHORT)
		fail_msg("%s: %u steps are left", fault, (unsigned)length);
	assert_non_null(smp_oracle(&setup, steps, length).what);
	setup.sabotage = NULL;
	assert_null(smp_oracle(&setup, steps, length).what);
}

/* The guest's registers, unknown to the model. */
static void write_spi(uint32_t bank, unsigned slot)
{
	dist_write(0, bank + smp_intids[slot] / 32 * 4, 4, 1u << smp_intids[slot] % 32);
}

/* What another core was asked for never comes. */
static void lose_posted(const struct smp_step *step)
{
	if (step->kind == SMP_PEND && step->slot >= SMP_PRIVATE)
		write_spi(GICD_ICPENDR, step->slot);
}

/* A new target does not get what is pending. */
static void lose_moved(const struct smp_step *step)
{
	if (step->kind == SMP_TARGET && step->slot >= SMP_PRIVATE)
		write_spi(GICD_ICPENDR, step->slot);
}

/* What was acknowledged is pending once more. */
static void deliver_twice(const struct smp_step *step)
{
	if (step->kind == SMP_ACK && smp_model_irq(0, SMP_PRIVATE)->active)
		write_spi(GICD_ISPENDR, SMP_PRIVATE);
}

/* An SGI comes from another vCPU than it was sent by; GICv3, which has no sources: not at all. */
static void lose_source(const struct smp_step *step)
{
	if (step->kind != SMP_SGI)
		return;
	if (gic_version() == 2)
		dist_write(0, GICD_CPENDSGIR, 1, 1u << step->n);
	else
		redist_write(0, GICR_SGI_OFFSET + GICD_ICPENDR, 4, 1);
}

/* It stays active at the old target though the guest has ended it. */
static void lose_end(const struct smp_step *step)
{
	if (step->kind == SMP_EOI && !smp_model_irq(0, SMP_PRIVATE)->active)
		write_spi(GICD_ISACTIVER, SMP_PRIVATE);
}

/* The physical interrupt goes where the old target is. */
static void lose_route(const struct smp_step *step)
{
	if (step->kind == SMP_TARGET)
		fake_gic.irq[smp_intids[SMP_SLOTS - 1]].elsewhere = true;
}

TEST(planted_faults_are_found_and_shown_by_few_steps)
{
	assert_found("lose_posted", lose_posted);
	assert_found("lose_moved", lose_moved);
	assert_found("deliver_twice", deliver_twice);
	assert_found("lose_source", lose_source);
	assert_found("lose_end", lose_end);
	assert_found("lose_route", lose_route);
}
