/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between cores. A vCPU runs on one core, vcpu->core, and that core alone touches
 * what belongs to the vCPU (its virtual GIC above all: the list registers are the core's). Another
 * core sets bits of the vCPU (struct vgic_posted) and kicks the core, and does not wait. A call,
 * which its caller waits for, is for the life cycle of VMs alone.
 *
 * A kick is a physical SGI, SMP_KICK_SGI. A core that is asked leaves its vCPU, and does what it is
 * asked for with no vCPU loaded (hyp/run/core_loop.c).
 */
#pragma once

#include "arch/types.h"

#define SMP_KICK_SGI 7u     /* the last that Non-secure software has for itself (IHI 0048B 2.2.1) */
#define SMP_CONTINUE_SGI 6u /* of a low priority */

/* Which core this is: 0, the boot core, and on. */
unsigned smp_core(void);
void smp_set_core(unsigned core);

/* Runs fn(argument) on `core`, which leaves its vCPU for it, and waits until that is done; at once
 * where it is this core, which has no vCPU loaded. Core 0 alone calls: of a core one thing at a
 * time. */
void smp_call(unsigned core, void (*fn)(void *argument), void *argument);

/* Has `core` leave its vCPU and look at what there is to do: another core soon, this one when the
 * exit that it handles returns NULL. */
void smp_ask(unsigned core);

/* Whether this core is asked to leave its vCPU. */
bool smp_is_asked(void);

/* This core has no vCPU loaded: makes core 0's call. Calls that come from now on are new ones. */
void smp_process_calls(void);

/* Has `core` look at its vCPUs' posts, whatever it does. */
void smp_kick(unsigned core);

/* Has this core look at its vCPU's posts again, after every interrupt that is pending, and before
 * the guest goes on. */
void smp_continue(void);

/* Whether an interrupt is one of the two. */
static inline bool smp_is_kick(unsigned intid)
{
	return intid - SMP_CONTINUE_SGI <= SMP_KICK_SGI - SMP_CONTINUE_SGI;
}
