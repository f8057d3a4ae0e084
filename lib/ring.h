/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of a ring of a power-of-two size, which keeps the newest entries and counts the rest. */
#pragma once

#include <stdint.h>

struct ring {
	uint32_t mask;    /* size - 1 */
	uint32_t written; /* entries ever written, modulo 2^32 */
};

static inline void ring_init(struct ring *ring, uint32_t size)
{
	ring->mask = size - 1;
	ring->written = 0;
}

/* The slot to write next; its old entry is lost. */
static inline uint32_t ring_next(struct ring *ring)
{
	return ring->written++ & ring->mask;
}

static inline uint32_t ring_lost(const struct ring *ring)
{
	return ring->written > ring->mask ? ring->written - ring->mask - 1 : 0;
}

static inline uint32_t ring_count(const struct ring *ring)
{
	return ring->written - ring_lost(ring);
}

/* The slot of the i-th oldest entry kept, i < ring_count(). */
static inline uint32_t ring_slot(const struct ring *ring, uint32_t i)
{
	return (ring_lost(ring) + i) & ring->mask;
}
