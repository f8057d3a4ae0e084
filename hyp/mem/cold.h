/* SPDX-License-Identifier: Apache-2.0 */
/* HC_COLD: make this core's caches or TLBs cold. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"

struct guest_ram;
struct page_pool;

/* `state` is a value of enum sample_state; STATE_WARM changes nothing. Return false for an unknown
 * state, and if maintenance goes by address and the bench guest uses more working memory than
 * COLD_WORKING_MAX. `tables` is the pool of stage 2. */
#define COLD_WORKING_MAX 0x800000u /* bytes; 2^17 lines of 64 bytes */
bool cold_make(const struct guest_ram *ram, const struct page_pool *tables, reg_t state,
	       reg_t working);

/*
 * Return the colours of the last cache level that CLIDR names, which is the number of pages in a
 * way; 0 if CLIDR names none.
 */
unsigned cold_colours(void);
