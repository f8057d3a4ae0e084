/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cores do for each other. A vCPU runs on one core, vcpu->core, and that core alone touches
 * what belongs to the vCPU (its virtual GIC above all: the list registers are the core's). Another
 * core that needs something done there asks for it: by a call, which it waits for, or by an SGI,
 * which it does not. The one lock of a VM is that of its SPIs (hyp/vm/vspi.h).
 *
 * The asked core is told by a physical SGI, SMP_KICK_SGI. It serves what is asked of it when that
 * SGI is taken (hyp/trap/trap.c), or while it waits for something in EL2 itself.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

#define SMP_KICK_SGI 7u /* the last that Non-secure software has for itself (IHI 0048B 2.2.1) */

/* Which core this is: 0, the boot core, and on. */
unsigned smp_core(void);
void smp_set_core(unsigned core);

/* Runs fn(vcpu, argument) on the core of `vcpu` and waits until it is done; at once where that is
 * this core. The calls that other cores make of this one are served meanwhile. */
void smp_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument);

/* Makes SGI `id` (0-15) from vCPU `source` (0-7) pending at `to`, another core's, and does not
 * wait. */
void smp_send_sgi(struct vcpu *to, unsigned id, unsigned source);

/* SGIs that this core has not looked at yet are forgotten: its vCPU begins anew. */
void smp_forget_sgis(void);

/* What the other cores ask of this one. Everyone who waits for another core does this meanwhile. */
void smp_process_calls(void);

/* Has `core` look at what is asked of it, whatever it does. */
void smp_kick(unsigned core);

/* In a wait for another core, between two looks at what it is waited for: serves, and lets others
 * run (an emulator of several cores would spin for long). */
void smp_wait(void);

/* What one vCPU may change at a time. Cores get the lock in the order in which they asked for it,
 * and serve meanwhile. No core takes it twice, or in a call that it serves. */
struct smp_lock {
	uint32_t next; /* ticket to give out */
	uint32_t now;  /* ticket of the core that has the lock */
};
void smp_lock(struct smp_lock *lock);
void smp_unlock(struct smp_lock *lock);
