/* SPDX-License-Identifier: Apache-2.0 */
/* HC_COLD: empties this core's caches or TLBs. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"

struct guest_ram;
struct page_pool;

/* `state` is a value of enum sample_state; STATE_WARM changes nothing. Returns false for an unknown
 * state, and where maintenance goes by address and the bench guest uses more working memory than
 * COLD_WORKING_MAX. `tables`: the pool of stage 2. */
#define COLD_WORKING_MAX 0x800000u /* bytes; 2^17 lines of 64 bytes */
bool cold_make(const struct guest_ram *ram, const struct page_pool *tables, reg_t state,
	       reg_t working);

/* Colours of the last level of cache that CLIDR names: pages of a way. 0: CLIDR names none. */
unsigned cold_colours(void);
