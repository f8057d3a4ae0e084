/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cores do for each other. vCPU n of a VM runs on core n, and what belongs to a vCPU (its
 * virtual GIC above all: the list registers are the core's) is touched by that core alone. Another
 * core that needs something done there asks for it: by a call, which it waits for, or by an SGI,
 * which it does not. So nothing on an exit path takes a lock.
 */
#pragma once

#include "hyp/vcpu.h"

/* Runs fn(vcpu, argument) on the core of `vcpu` and waits until it is done; at once where that is
 * this core. The calls that other cores make of this one are served meanwhile. */
void core_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument);

/* Makes SGI `id` (0-15) from vCPU `source` pending at `to`, another core's, and does not wait. */
void core_send_sgi(struct vcpu *to, unsigned id, unsigned source);

/* What the other cores ask of this one. Everyone who waits for another core does this meanwhile. */
void core_serve(void);
