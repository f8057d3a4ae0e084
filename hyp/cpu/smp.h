/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cores do for each other. A vCPU runs on one core, vcpu->core, and that core alone touches
 * what belongs to the vCPU (its virtual GIC above all: the list registers are the core's). Another
 * core sets bits of the vCPU (struct vgic_posted) and kicks the core, and does not wait. A call,
 * which its caller waits for, is for the life cycle of a VM alone.
 *
 * A kick is a physical SGI, SMP_KICK_SGI. A core looks at what is asked of it when it takes that
 * SGI (hyp/trap/trap.c), and at calls while it waits for something in EL2 itself.
 */
#pragma once

#define SMP_KICK_SGI 7u /* the last that Non-secure software has for itself (IHI 0048B 2.2.1) */

/* Which core this is: 0, the boot core, and on. */
unsigned smp_core(void);
void smp_set_core(unsigned core);

/* Run fn(argument) on `core` and wait for its return; without a wait where that is this core. Calls
 * that other cores make of this core run meanwhile. */
void smp_call(unsigned core, void (*fn)(void *argument), void *argument);

/* What the other cores ask of this one. Everyone who waits for another core does this meanwhile. */
void smp_process_calls(void);

/* Has `core` look at what is asked of it, whatever it does. */
void smp_kick(unsigned core);

/* In a wait for another core, between two looks at what it is waited for: serves, and lets others
 * run (an emulator of several cores would spin for long). */
void smp_wait(void);
