/* SPDX-License-Identifier: Apache-2.0 */
/* What every sample begins with, the axis `state` of a configuration: as the last sample left it,
 * caches cold, or TLBs cold. */
#pragma once

#include <stdbool.h>

#include "abi/guest_run.h"

void state_init(const struct guest_run *run);

/* Just before a sample's window opens, or before the timer of a sample is set: makes cold what the
 * configuration says, nothing where that is nothing. Once a sample; report_bench() refuses samples
 * that were not prepared. */
void state_prepare(void);

/* Samples prepared so far; 0 where there is nothing to prepare. */
uint32_t state_prepared_count(void);

/* There is something to prepare. */
bool state_is_cold(void);
