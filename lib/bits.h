/* SPDX-License-Identifier: Apache-2.0 */
/* Bits, bit sets in arrays of 32-bit words, and alignment. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BIT(n) (1u << (n))
#define BIT64(n) ((uint64_t)1 << (n))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Set bit `n` of a set of several words: bit 32 is bit 0 of words[1]. */
static inline void bit_set(uint32_t *words, unsigned n)
{
	words[n / 32] |= BIT(n % 32);
}

static inline void bit_clear(uint32_t *words, unsigned n)
{
	words[n / 32] &= ~BIT(n % 32);
}

static inline bool bit_test(const uint32_t *words, unsigned n)
{
	return words[n / 32] & BIT(n % 32);
}

/* Return the number of the lowest set bit. The word must not be 0. */
static inline unsigned bit_lowest(uint32_t word)
{
	return (unsigned)__builtin_ctz(word);
}

/* Return the nearest multiple of `alignment`, a power of two. */
static inline uint64_t align_down(uint64_t value, uint64_t alignment)
{
	return value & ~(alignment - 1);
}

static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return align_down(value + alignment - 1, alignment);
}
