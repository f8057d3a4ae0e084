/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared peripheral interrupts (SPIs) of a VM with several vCPUs. Exactly one vCPU, the
 * interrupt's home, has what is known of it in its virtual GIC; there alone it is enabled, pending,
 * active, and forwarded from a physical SPI. The home is the target that the guest wrote; vCPU 0 at
 * reset. A new target takes it over, with its pending state and its physical interrupt; what is
 * active is ended at the old home first (IHI 0048B 4.3.12, IHI 0069 12.9.22).
 *
 * One lock a VM guards homes, what the guest writes to SPIs, and what it reads of their state. Who
 * waits for it serves the other cores meanwhile, so its holder may smp_call() them. With one vCPU
 * there is no lock.
 */
#pragma once

#include "hyp/cpu/smp.h"

#define VIRQ_WORDS (VIRQ_COUNT / 32)
#define VSPI_NOBODY 0xffu /* a target that no vCPU is: it stays pending */

/* All zero: every home and target is vCPU 0. */
struct vspi {
	struct smp_lock lock;
	uint32_t in_transit;                  /* an INTID between two homes; 0: none */
	uint32_t lines[VIRQ_WORDS];           /* of emulated devices: high */
	uint32_t homed[VCPU_MAX][VIRQ_WORDS]; /* by home; of vCPU 0: nowhere else */
	uint32_t leaving[VIRQ_WORDS];         /* active at a home that is its target no longer */
	uint32_t unrouted[VIRQ_WORDS];        /* its target is nobody */
	uint8_t target[VIRQ_COUNT];
};

void vspi_lock(struct vm *vm);
void vspi_unlock(struct vm *vm);

/* --- with the lock --- */

struct vcpu *vspi_home(const struct vm *vm, unsigned intid);

/* Of the 32 interrupts from 32 * word on those that are at home at vCPU `index`. */
uint32_t vspi_homed(const struct vm *vm, unsigned index, unsigned word);

/* The guest writes a target: a vCPU's index, or VSPI_NOBODY. */
void vspi_set_target(struct vm *vm, unsigned intid, unsigned target);

/* --- without it, by who has a vCPU's core --- */

/* Something ended here, or may have: takes what was ended to its new target. Some of it; a kick of
 * this core sees to more. */
void vspi_settle(struct vcpu *vcpu);

/* A physical interrupt was acknowledged on a core that is not its home's: one that was on its way
 * when its target changed. False where it is no SPI of this VM's. */
bool vspi_arrived(struct vcpu *vcpu, unsigned intid);

/* The line of an emulated device, wherever the interrupt's home is. Without the lock, which the
 * asking core may have further down its stack. */
void vspi_set_level(struct vm *vm, unsigned intid, bool level);
