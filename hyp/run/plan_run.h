/* SPDX-License-Identifier: Apache-2.0 */
/* A whole plan: every benchmark in every configuration, interleaved. */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"

/* Run all steps, each with a fresh guest. A failed step does not stop the others. Return whether no
 * step failed. */
bool plan_run(const struct plan *plan);
