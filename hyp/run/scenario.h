/* SPDX-License-Identifier: Apache-2.0 */
/* A step's VMs from their creation to their end, with the scenario's events in between. */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"

/* Create and run the VMs that vms_place() has placed, until the bench guest is at its end, or,
 * without a bench guest, until every VM is at its end and no event is left. Emit the records of VMs
 * and of the step. No VM exists afterwards. Return whether the guests ended and reported no
 * failure. */
bool scenario_run(const struct plan *plan);
