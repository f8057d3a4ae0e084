/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice of the vCPU that has the core. Each core has its own run queue, for vCPUs of any VMs.
 * The policy decides:
 *
 *                                   null       rr (round robin)       fp (fixed priority)
 *   an interrupt wakes a vCPU       –          waits for its turn     has the core at once if it is
 *                                                                     more urgent
 *   a WFI with nothing pending      EL2 waits  the next vCPU's turn   the most urgent one runs
 *   a slice ends                    –          the next vCPU's turn   the next vCPU's turn, among
 *                                                                     vCPUs of equal priority
 *
 * A slice has slice_us and begins when the core switches. If no vCPU waits for its turn, another
 * slice begins. A policy is two facts, because one queue serves all policies: it is sorted by
 * urgency, and vCPUs of equal urgency are in the order in which they became ready.
 */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* Reset the core's scheduler: no vCPU. */
void sched_reset(const struct run_config *config);

/* Add a vCPU, which is off, to this core: the vCPU becomes ready. Remove it, unless it is off. */
void sched_add(struct vcpu *vcpu);
void sched_remove(struct vcpu *vcpu);

/* Add or remove a vCPU that EL2 has work for: its turn enters no guest, and the core leaves
 * vcpu_run(). */
void sched_add_worker(struct vcpu *vcpu);

/* Call this function after a change of vcpu->el2 of a vCPU of this core. */
void sched_compare(void);

/* Return the first vCPU of a core without one, or NULL if none is ready. */
struct vcpu *sched_begin(void);

/* Return the vCPU that resumes after an exit. NULL: none, and the core leaves vcpu_run(). The
 * functions below, called in an exit, change this vCPU. */
struct vcpu *sched_next(void);

/* The running vCPU has nothing to do. Return the vCPU that resumes; wait for an interrupt if no
 * other vCPU is ready. */
struct vcpu *sched_block(struct vcpu *running);

/* The running vCPU gives its turn to the next vCPU of equal urgency. Return the vCPU that resumes:
 * the same one, with a new slice, if no other is ready. */
struct vcpu *sched_yield_turn(struct vcpu *running);

/* Wake a vCPU of this core: an interrupt came for a vCPU that is not loaded. */
void sched_wake(struct vcpu *vcpu);

/* Wake the vCPUs of this core that have posts. Return false if none was blocked. */
bool sched_wake_posted(void);

/* Stop a vCPU of this core until sched_resume(). */
void sched_pause(struct vcpu *vcpu);
void sched_resume(struct vcpu *vcpu);

/* Make the core leave vcpu_run() with any vCPU ready. The running vCPU becomes the first in the run
 * queue. */
void sched_leave(void);
