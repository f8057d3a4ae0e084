/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vCPU that has the core. Each core has its own run queue, for vCPUs of any VMs; the policy
 * decides:
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

/* Add a vCPU, which is off, to this core: it is ready. Remove it, unless it is off. */
void sched_add(struct vcpu *vcpu);
void sched_remove(struct vcpu *vcpu);

/* The same for a vCPU for which EL2 has work: in its turn no guest is entered, and the core leaves
 * vcpu_run(). */
void sched_add_worker(struct vcpu *vcpu);

/* Call after a change of vcpu->el2 of a vCPU of this core. */
void sched_compare(void);

/* Return the vCPU that begins, on a core without one. NULL: none is ready. */
struct vcpu *sched_begin(void);

/* Return the vCPU that resumes after an exit. NULL: none, the core leaves vcpu_run(). The functions
 * below, called in an exit, change it. */
struct vcpu *sched_next(void);

/* The running vCPU has nothing to do. Returns the vCPU that resumes; waits for an interrupt where
 * no other vCPU is ready. */
struct vcpu *sched_block(struct vcpu *running);

/* The running vCPU gives its turn to the next one that is as urgent. Returns the vCPU that resumes:
 * the same one, with a new slice, where no other is ready. */
struct vcpu *sched_yield_turn(struct vcpu *running);

/* An interrupt came for a vCPU of this core that is not loaded. */
void sched_wake(struct vcpu *vcpu);

/* Those of this core that something was posted to. False: none was blocked. */
bool sched_wake_posted(void);

/* A vCPU of this core stops until sched_resume(). */
void sched_pause(struct vcpu *vcpu);
void sched_resume(struct vcpu *vcpu);

/* Make the core leave vcpu_run(), whichever vCPU is ready; the running one is the first of
 * them. */
void sched_leave(void);
