/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between cores. A vCPU runs on one core, vcpu->core, and only that core accesses the
 * vCPU's state (above all its virtual GIC, because list registers belong to the core). Another core
 * sets bits of the vCPU (struct vgic_posted) and kicks the core, without waiting. A call, whose
 * caller waits, is only for the life cycle of VMs.
 *
 * A kick is a physical SGI, SMP_KICK_SGI. A core with a request puts its vCPU and processes the
 * request with no vCPU loaded (hyp/run/core_loop.c).
 */
#pragma once

#include "arch/types.h"

#define SMP_KICK_SGI 7u     /* the last SGI that Non-secure software may use (IHI 0048B 2.2.1) */
#define SMP_CONTINUE_SGI 6u /* an SGI of low priority */

/* Return the number of this core; 0 is the boot core. */
unsigned smp_core(void);
void smp_set_core(unsigned core);

/* Run fn(argument) on `core`, which puts its vCPU first, and wait for the end. On the calling core,
 * which has no vCPU loaded, fn runs at once. Only core 0 calls: a core has one call at a time. */
void smp_call(unsigned core, void (*fn)(void *argument), void *argument);

/* Make `core` put its vCPU and process requests: another core soon, this core when the exit that it
 * handles returns NULL. */
void smp_ask(unsigned core);

/* Return whether this core has a request to put its vCPU. */
bool smp_is_asked(void);

/* Process core 0's call, if there is one, with no vCPU loaded. A later call needs another
 * smp_process_calls(). */
void smp_process_calls(void);

/* Make `core` process its vCPUs' posts, in any state of the core. */
void smp_kick(unsigned core);

/* Make this core process its vCPU's posts again, after all pending interrupts and before the guest
 * continues. */
void smp_continue(void);

/* Return whether an interrupt is one of the two SGIs. */
static inline bool smp_is_kick(unsigned intid)
{
	return intid - SMP_CONTINUE_SGI <= SMP_KICK_SGI - SMP_CONTINUE_SGI;
}
