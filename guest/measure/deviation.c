/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/deviation.h"

#define LIMBS 6u

/* An integer of 192 bits, the lowest limb first. The two isas have no common type above 64 bits. */
struct wide {
	uint32_t limb[LIMBS];
};

static struct wide wide_from(uint64_t low, uint64_t high)
{
	return (struct wide){ { (uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
				(uint32_t)(high >> 32) } };
}

/* Return the product modulo 2^192. The callers' products are smaller. */
static struct wide wide_multiply(struct wide a, struct wide b)
{
	struct wide product = { { 0 } };

	for (unsigned i = 0; i < LIMBS; i++) {
		uint64_t carry = 0;

		for (unsigned j = 0; i + j < LIMBS; j++) {
			carry += (uint64_t)a.limb[i] * b.limb[j] + product.limb[i + j];
			product.limb[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	return product;
}

/* Compute a -= b. Return true if the result is negative. */
static bool wide_subtract(struct wide *a, struct wide b)
{
	uint32_t borrow = 0;

	for (unsigned i = 0; i < LIMBS; i++) {
		uint64_t difference = (uint64_t)a->limb[i] - b.limb[i] - borrow;

		a->limb[i] = (uint32_t)difference;
		borrow = (uint32_t)(difference >> 63);
	}
	return borrow;
}

/* Return whether r * r <= square, with r = a * b. */
static bool root_fits(uint64_t a, uint64_t b, struct wide square)
{
	struct wide root = wide_multiply(wide_from(a, 0), wide_from(b, 0));

	return !wide_subtract(&square, wide_multiply(root, root));
}

/*
 * The deviation is sqrt(D) / n, with the integer D = n * (sum of squares) - sum^2. The nearest
 * number of thousandths is the largest m with m - 1/2 <= 1000 sqrt(D) / n, that is, with ((2m - 1)
 * n)^2 <= 4000000 D. The loop finds m bit by bit. Samples are below 2^48 and their sum below 2^64,
 * so n * squares < 2^(32 + 48 + 64), 4000000 D < 2^166 and m < 2^57.
 */
uint64_t stats_stddev_milli(const struct stats *stats)
{
	struct wide n = wide_from(stats->n, 0);
	struct wide sum = wide_from(stats->sum, 0);
	struct wide d = wide_multiply(wide_from(stats->squares_low, stats->squares_high), n);
	uint64_t result = 0;

	wide_subtract(&d, wide_multiply(sum, sum));
	d = wide_multiply(d, wide_from(4000000, 0));
	for (uint64_t bit = (uint64_t)1 << 57; bit && stats->n; bit >>= 1)
		if (root_fits(2 * (result | bit) - 1, stats->n, d))
			result |= bit;
	return result;
}
