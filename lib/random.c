/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/random.h"

void random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	random->state = 0;
	random->increment = stream << 1 | 1;
	random_next(random);
	random->state += seed;
	random_next(random);
}

uint32_t random_next(struct random *random)
{
	uint64_t state = random->state;
	uint32_t bits = (uint32_t)((state >> 18 ^ state) >> 27);
	unsigned turn = (unsigned)(state >> 59);

	random->state = state * 6364136223846793005u + random->increment;
	return bits >> turn | bits << (-turn & 31);
}

/*
 * The upper half of a product is evenly distributed except for 2^32 mod bound of the 2^32 lower
 * halves. A draw with one of these lower halves is repeated (D. Lemire, "Fast Random Integer
 * Generation in an Interval", 2019).
 */
uint32_t random_below(struct random *random, uint32_t bound)
{
	uint64_t product = (uint64_t)random_next(random) * bound;

	if ((uint32_t)product < bound) {
		uint32_t surplus = -bound % bound;

		while ((uint32_t)product < surplus)
			product = (uint64_t)random_next(random) * bound;
	}
	return (uint32_t)(product >> 32);
}

void random_shuffle(struct random *random, uint32_t *items, uint32_t count)
{
	for (uint32_t left = count; left > 1; left--) {
		uint32_t chosen = random_below(random, left);
		uint32_t item = items[left - 1];

		items[left - 1] = items[chosen];
		items[chosen] = item;
	}
}
