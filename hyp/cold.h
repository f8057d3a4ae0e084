/* SPDX-License-Identifier: Apache-2.0 */
/* HC_COLD: caches or TLBs of this core as if nothing had run yet. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"

/* `state` is a value of enum sample_state; STATE_WARM changes nothing. False for any other. */
bool cold_make(reg_t state);
