/* SPDX-License-Identifier: Apache-2.0 */
/* HC_COLD: caches or TLBs of this core as if nothing had run yet. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"

struct page_pool;

/* `state` is a value of enum sample_state; STATE_WARM changes nothing. False for any other, and
 * where caches go by address and the bench guest has more working memory than COLD_WORKING_MAX in
 * use. `tables`: where stage 2 has its pages from. */
#define COLD_WORKING_MAX 0x800000u /* bytes; 2^17 lines of 64 bytes */
bool cold_make(const struct page_pool *tables, reg_t state, reg_t working);
