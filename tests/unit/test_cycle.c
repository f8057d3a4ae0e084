/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cycle.h"

#define COUNT_MAX 1000u
#define WORDS 8u /* of a stride of 64 bytes */
#define STRIDE ((uint32_t)(WORDS * sizeof(uintptr_t)))

static uintptr_t memory[COUNT_MAX * WORDS + 1];

static struct cycle cycle_of(uint32_t count)
{
	memset(memory, 0, sizeof(memory));
	return (struct cycle){ (uintptr_t)memory, count, STRIDE };
}

static struct cycle random_cycle(uint32_t count, uint64_t seed)
{
	struct cycle cycle = cycle_of(count);
	struct random random;

	random_init(&random, seed, count);
	cycle_random(&cycle, &random);
	return cycle;
}

static uint32_t successor(const struct cycle *cycle, uint32_t index)
{
	uintptr_t next = *(uintptr_t *)(cycle->base + (uintptr_t)index * STRIDE);

	assert_int_equal((next - cycle->base) % STRIDE, 0);
	return (uint32_t)((next - cycle->base) / STRIDE);
}

/* Without the code under test: every item once. */
static void assert_goes_through_all(const struct cycle *cycle)
{
	uint8_t seen[COUNT_MAX] = { 0 };
	uint32_t at = 0;

	for (uint32_t i = 0; i < cycle->count; i++) {
		assert_true(at < cycle->count);
		assert_int_equal(seen[at]++, 0);
		at = successor(cycle, at);
	}
	assert_int_equal(at, 0);
}

static void assert_whole(const struct cycle *cycle)
{
	struct cycle_evidence evidence = cycle_walk(cycle);

	assert_int_equal(evidence.visited, cycle->count);
	assert_true(evidence.closed);
	assert_true(cycle_is_whole(cycle, &evidence));
}

static void random_cycles_go_through_all(void **state)
{
	(void)state;
	for (uint32_t count = 1; count <= 70; count++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct cycle cycle = random_cycle(count, seed);

			assert_goes_through_all(&cycle);
			assert_whole(&cycle);
		}
}

static void ascending_cycles_go_through_all(void **state)
{
	(void)state;
	for (uint32_t count = 1; count <= 70; count++) {
		struct cycle cycle = cycle_of(count);

		cycle_ascending(&cycle);
		assert_goes_through_all(&cycle);
		assert_whole(&cycle);
		assert_int_equal(cycle_walk(&cycle).descents, count > 1);
	}
}

/* Chi-square over the six cycles of four items; 5 degrees of freedom exceed 20.5 once in a
 * thousand times. A shuffle that may leave an item alone would make none of them. */
static void every_cycle_is_as_likely(void **state)
{
	const unsigned tries = 6000, expected = 1000;
	unsigned counts[6] = { 0 };
	double chi_square = 0;
	struct random random;

	(void)state;
	random_init(&random, 1, 0);
	for (unsigned i = 0; i < tries; i++) {
		struct cycle cycle = cycle_of(4);
		uint32_t a, b;

		cycle_random(&cycle, &random);
		a = successor(&cycle, 0);
		b = successor(&cycle, a);
		counts[(a - 1) * 2 + (b > 6 - a - b)]++;
	}
	for (unsigned i = 0; i < 6; i++) {
		double off = (double)counts[i] - expected;

		chi_square += off * off / expected;
	}
	assert_true(chi_square < 20.5);
}

static void half_of_a_random_cycle_descends(void **state)
{
	struct cycle cycle = random_cycle(COUNT_MAX, 1);

	(void)state;
	assert_in_range(cycle_walk(&cycle).descents, COUNT_MAX * 4 / 10, COUNT_MAX * 6 / 10);
}

static void nothing_beside_the_items_is_written(void **state)
{
	struct cycle cycle = random_cycle(10, 1);

	(void)state;
	for (unsigned i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (i % WORDS != 0 || i / WORDS >= cycle.count)
			assert_int_equal(memory[i], 0);
}

static void set(const struct cycle *cycle, uint32_t index, uint32_t next)
{
	*(uintptr_t *)(cycle->base + (uintptr_t)index * STRIDE) =
		cycle->base + (uintptr_t)next * STRIDE;
}

static void assert_broken(const struct cycle *cycle, uint32_t visited, bool closed)
{
	struct cycle_evidence evidence = cycle_walk(cycle);

	assert_false(cycle_is_whole(cycle, &evidence));
	assert_int_equal(evidence.visited, visited);
	assert_int_equal(evidence.closed, closed);
}

/* The planted faults. */
static void what_is_not_one_cycle_is_found(void **state)
{
	struct cycle cycle = cycle_of(8);

	(void)state;
	cycle_ascending(&cycle);
	set(&cycle, 3, 0); /* back too early: items 4 to 7 are in none */
	assert_broken(&cycle, 4, true);
	cycle_ascending(&cycle);
	set(&cycle, 7, 5); /* never back */
	assert_broken(&cycle, 8, false);
	cycle_ascending(&cycle);
	set(&cycle, 2, 8); /* out of the memory */
	assert_broken(&cycle, 3, false);
	cycle_ascending(&cycle);
	*(uintptr_t *)(cycle.base + 2 * STRIDE) += sizeof(uintptr_t); /* between two items */
	assert_broken(&cycle, 3, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_cycles_go_through_all),
		cmocka_unit_test(ascending_cycles_go_through_all),
		cmocka_unit_test(every_cycle_is_as_likely),
		cmocka_unit_test(half_of_a_random_cycle_descends),
		cmocka_unit_test(nothing_beside_the_items_is_written),
		cmocka_unit_test(what_is_not_one_cycle_is_found),
	};

	return cmocka_run_group_tests_name("cycle", tests, NULL, NULL);
}
