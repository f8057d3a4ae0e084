/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small seeded generator, so that a pseudo-random choice is the same in every run: PCG-XSH-RR
 * with 64 bits of state (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically
 * Good Algorithms for Random Number Generation", HMC-CS-2014-0905).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state;
	uint64_t increment; /* odd; selects the sequence */
};

/*
 * Start a sequence. Every seed and every stream is valid; each stream of a seed is a sequence of
 * its own.
 */
void random_init(struct random *random, uint64_t seed, uint64_t stream);

/* Return 32 evenly distributed bits. */
uint32_t random_next(struct random *random);

/* Return a number evenly distributed in 0 to bound - 1; bound is at least 1. */
uint32_t random_below(struct random *random, uint32_t bound);

/* Put the items into a random order; all orders are equally likely. */
void random_shuffle(struct random *random, uint32_t *items, uint32_t count);
