/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional instructions that trap, and the IT block of Thumb code. DDI 0406C A8.3, B3.13.6. */
#pragma once

#include "arch/types.h"

#define HSR_EC_HAS_CONDITION(hsr) ((hsr) >> 30 == 0) /* classes 0x00 to 0x0f */
#define HSR_CV (1u << 24) /* bits 23:20 are the instruction's condition */
#define HSR_COND(hsr) ((hsr) >> 20 & 0xfu)
#define COND_AL 0xeu

/* ITSTATE has two parts: bits 7:2 in 15:10, bits 1:0 in 26:25. */
static inline uint32_t psr_itstate(uint32_t psr)
{
	return (psr >> 8 & 0xfcu) | (psr >> 25 & 3u);
}

static inline uint32_t psr_with_itstate(uint32_t psr, uint32_t it)
{
	return (psr & ~0x0600fc00u) | (it & 0xfcu) << 8 | (it & 3u) << 25;
}

/*
 * Return the PSR after an instruction of an IT block; outside a block the PSR is unchanged
 * (A2.5.2).
 */
static inline uint32_t psr_it_advance(uint32_t psr)
{
	uint32_t it = psr_itstate(psr);

	return psr_with_itstate(psr, it & 7 ? (it & 0xe0u) | (it << 1 & 0x1fu) : 0);
}

static inline bool condition_holds(uint32_t condition, uint32_t psr)
{
	bool n = psr >> 31 & 1, z = psr >> 30 & 1, c = psr >> 29 & 1, v = psr >> 28 & 1;
	const bool holds[] = { z, c, n, v, c && !z, n == v, !z && n == v, true };

	return condition >= COND_AL || holds[condition >> 1] != (condition & 1);
}

/*
 * Return whether the trapped instruction passed its condition. An instruction that failed its
 * condition may trap (implementation-defined, B1.14.1) and must then be skipped without effect. The
 * syndrome has the condition of an ARM instruction; only SPSR.IT may have that of a Thumb
 * instruction.
 */
static inline bool condition_passed(uint32_t hsr, uint32_t spsr)
{
	uint32_t it = psr_itstate(spsr);

	if (!HSR_EC_HAS_CONDITION(hsr))
		return true;
	if (hsr & HSR_CV)
		return condition_holds(HSR_COND(hsr), spsr);
	return it == 0 || condition_holds(it >> 4, spsr);
}

/* Return a PSR for the repeated execution of an instruction; psr_it_advance() of the result is
 * `psr`. `psr` has every bit of the instruction's own condition but the lowest, which follows from
 * the flags because the instruction passed. The last instruction of a block is executed again
 * without a condition. */
static inline uint32_t psr_it_back(uint32_t psr)
{
	uint32_t it = psr_itstate(psr), before = (it & 0xe0u) | (it >> 1 & 0xfu);

	if (it == 0)
		return psr;
	return psr_with_itstate(psr, condition_holds(before >> 4, psr) ? before : before | 0x10u);
}
