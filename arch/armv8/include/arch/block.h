/* SPDX-License-Identifier: Apache-2.0 */
/* A block of words that one instruction stores or loads: the compiler makes STP and LDP. */
#pragma once

#include "arch/types.h"

#define BLOCK_WORDS 2u

/* Return the address after the block. */
static inline reg_t *block_store(reg_t *to, const reg_t *block)
{
	to[0] = block[0];
	to[1] = block[1];
	return to + BLOCK_WORDS;
}

static inline const reg_t *block_load(const reg_t *from, reg_t *block)
{
	block[0] = from[0];
	block[1] = from[1];
	return from + BLOCK_WORDS;
}
