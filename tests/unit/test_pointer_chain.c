/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/pointer_chain.h"
#include "tests/unit/unit.h"

#define COUNT_MAX 1000u
#define WORDS 8u /* of a stride of 64 bytes */
#define STRIDE ((uint32_t)(WORDS * sizeof(uintptr_t)))

static uintptr_t memory[COUNT_MAX * WORDS + 1];

static struct pointer_chain chain_of(uint32_t count)
{
	memset(memory, 0, sizeof(memory));
	return (struct pointer_chain){ (uintptr_t)memory, count, STRIDE };
}

static struct pointer_chain random_chain(uint32_t count, uint64_t seed)
{
	struct pointer_chain chain = chain_of(count);
	struct random random;

	random_init(&random, seed, count);
	pointer_chain_random(&chain, &random);
	return chain;
}

static uint32_t successor(const struct pointer_chain *chain, uint32_t index)
{
	uintptr_t next = *(uintptr_t *)(chain->base + (uintptr_t)index * STRIDE);

	assert_int_equal((next - chain->base) % STRIDE, 0);
	return (uint32_t)((next - chain->base) / STRIDE);
}

/* Without the code under test: every item once. */
static void assert_goes_through_all(const struct pointer_chain *chain)
{
	uint8_t seen[COUNT_MAX] = { 0 };
	uint32_t at = 0;

	for (uint32_t i = 0; i < chain->count; i++) {
		assert_true(at < chain->count);
		assert_int_equal(seen[at]++, 0);
		at = successor(chain, at);
	}
	assert_int_equal(at, 0);
}

static void assert_whole(const struct pointer_chain *chain)
{
	struct pointer_chain_evidence evidence = pointer_chain_walk(chain);

	assert_int_equal(evidence.visited, chain->count);
	assert_true(evidence.closed);
	assert_true(pointer_chain_is_whole(chain, &evidence));
}

TEST(random_cycles_go_through_all)
{
	for (uint32_t count = 1; count <= 70; count++)
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct pointer_chain chain = random_chain(count, seed);

			assert_goes_through_all(&chain);
			assert_whole(&chain);
		}
}

TEST(ascending_cycles_go_through_all)
{
	for (uint32_t count = 1; count <= 70; count++) {
		struct pointer_chain chain = chain_of(count);

		pointer_chain_ascending(&chain);
		assert_goes_through_all(&chain);
		assert_whole(&chain);
		assert_int_equal(pointer_chain_walk(&chain).descents, count > 1);
	}
}

TEST(half_of_a_random_cycle_descends)
{
	struct pointer_chain chain = random_chain(COUNT_MAX, 1);

	assert_in_range(pointer_chain_walk(&chain).descents, COUNT_MAX * 4 / 10,
			COUNT_MAX * 6 / 10);
}

TEST(nothing_beside_the_items_is_written)
{
	struct pointer_chain chain = random_chain(10, 1);

	for (unsigned i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (i % WORDS != 0 || i / WORDS >= chain.count)
			assert_int_equal(memory[i], 0);
}

static void set(const struct pointer_chain *chain, uint32_t index, uint32_t next)
{
	*(uintptr_t *)(chain->base + (uintptr_t)index * STRIDE) =
		chain->base + (uintptr_t)next * STRIDE;
}

static void assert_broken(const struct pointer_chain *chain, uint32_t visited, bool closed)
{
	struct pointer_chain_evidence evidence = pointer_chain_walk(chain);

	assert_false(pointer_chain_is_whole(chain, &evidence));
	assert_int_equal(evidence.visited, visited);
	assert_int_equal(evidence.closed, closed);
}

/* The planted faults. */
TEST(what_is_not_one_cycle_is_found)
{
	struct pointer_chain chain = chain_of(8);

	pointer_chain_ascending(&chain);
	set(&chain, 3, 0); /* back too early: items 4 to 7 are in none */
	assert_broken(&chain, 4, true);
	pointer_chain_ascending(&chain);
	set(&chain, 7, 5); /* never back */
	assert_broken(&chain, 8, false);
	pointer_chain_ascending(&chain);
	set(&chain, 2, 8); /* out of the memory */
	assert_broken(&chain, 3, false);
	pointer_chain_ascending(&chain);
	*(uintptr_t *)(chain.base + 2 * STRIDE) += sizeof(uintptr_t); /* between two items */
	assert_broken(&chain, 3, false);
}
