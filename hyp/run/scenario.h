/* SPDX-License-Identifier: Apache-2.0 */
/* A step's VMs from their creation to their end, with the events of the plan between. */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"

/* Creates and runs the VMs that vms_place() has placed, until the bench guest is at its end;
 * without one, until every VM is and no event is left. Emits the records of VMs and of the step;
 * then no VM exists. Returns whether the guests ended and reported no failure. */
bool scenario_run(const struct plan *plan);
