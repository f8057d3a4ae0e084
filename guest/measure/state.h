/* SPDX-License-Identifier: Apache-2.0 */
/* The state at the beginning of every sample (axis `state`): as the last sample left it, with cold
 * caches, or with cold TLBs. */
#pragma once

#include <stdbool.h>

#include "abi/guest_run.h"

void state_init(const struct guest_run *run);

/* Make caches or TLBs cold as the configuration demands. Call this function once a sample, just
 * before the window opens or the timer is set. report_bench() refuses samples without this call. */
void state_prepare(void);

/* Return the number of samples prepared so far; 0 if the configuration demands nothing. */
uint32_t state_prepared_count(void);

/* Return whether the configuration demands cold caches or TLBs. */
bool state_is_cold(void);
