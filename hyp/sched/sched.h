/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which vCPU has the core. Each core has a run queue of its own, for vCPUs of any VMs; what happens
 * is the policy's:
 *
 *                                   null       rr (round robin)       fp (fixed priority)
 *   an interrupt wakes a vCPU       –          waits for its turn     has the core at once, where
 *                                                                     it is more urgent
 *   a WFI with nothing pending      EL2 waits  the turn of the next   the most urgent one runs
 *   a slice ends                    –          the turn of the next   the same, among vCPUs of
 *                                                                     equal priority
 *
 * A slice has slice_us and begins when the core is switched. Where no vCPU waits for its turn,
 * another slice begins. A policy is two facts, since one queue does for all: it is sorted by
 * urgency, and vCPUs of equal urgency follow each other in the order in which they became ready.
 */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* The core begins anew, with no vCPU. */
void sched_reset(const struct run_config *config);

/* A vCPU, which is off, is this core's from now on, and ready; and is no longer. */
void sched_add(struct vcpu *vcpu);
void sched_remove(struct vcpu *vcpu);

/* vcpu->el2 of a vCPU of this core has changed. */
void sched_compare_el2(void);

/* No vCPU has the core: which one begins. NULL: none is ready. */
struct vcpu *sched_begin(void);

/* Which vCPU goes on after an exit; NULL: none, the core leaves vcpu_run(). What may change that
 * is asked for below, in an exit. */
struct vcpu *sched_next(void);

/* The running vCPU has nothing to do. Returns which vCPU goes on; waits for an interrupt where no
 * other one is ready. */
struct vcpu *sched_block(struct vcpu *running);

/* An interrupt came for a vCPU of this core that is not loaded. */
void sched_wake(struct vcpu *vcpu);

/* A vCPU of this core stops until sched_resume(). */
void sched_pause(struct vcpu *vcpu);
void sched_resume(struct vcpu *vcpu);

/* The core is to leave vcpu_run(), whichever vCPU is ready. */
void sched_leave(void);
