/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a whole plan: every benchmark in every configuration, interleaved. */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"

/* Runs all steps, each with a fresh guest. A failed step does not stop the rest. Returns whether no
 * step failed. */
bool plan_run(const struct plan *plan);
