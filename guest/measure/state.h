/* SPDX-License-Identifier: Apache-2.0 */
/* The state at the beginning of every sample (axis `state`): as the last sample left it, caches
 * cold, or TLBs cold. */
#pragma once

#include <stdbool.h>

#include "abi/guest_run.h"

void state_init(const struct guest_run *run);

/* Make caches or TLBs cold, as the configuration demands: once a sample, just before its window
 * opens or its timer is set. report_bench() refuses samples that were not prepared. */
void state_prepare(void);

/* Samples prepared so far; 0 where there is nothing to prepare. */
uint32_t state_prepared_count(void);

/* There is something to prepare. */
bool state_is_cold(void);
