/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a whole plan: every benchmark in every configuration, interleaved. */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"

/* Steps that the plan asks for. */
unsigned plan_step_count(const struct plan *plan);

/* Runs them all, each with a fresh guest. A step that fails does not stop the rest; true when none
 * did. */
bool plan_run(const struct plan *plan);
