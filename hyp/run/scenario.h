/* SPDX-License-Identifier: Apache-2.0 */
/* A step's VMs from their creation to their end, with the events of the plan between. */
#pragma once

#include "abi/plan.h"
#include "hyp/vm/vm.h"

/* Creates and runs the VMs that vms_place() has placed, until the bench guest is at its end;
 * without one, until every VM is and no event is left. Returns the ticks from the first start on; 0
 * where a VM was refused. */
uint64_t scenario_run(const struct plan *plan);

/* How the measured VM ended; without a bench guest, the worst end of all. */
enum vm_outcome scenario_outcome(void);
const char *scenario_outcome_word(void);

/* `vm` records, where there are several VMs; members of the step's record; then no VM exists. */
void scenario_emit_vms(void);
void scenario_emit_step(void);
void scenario_end(void);
