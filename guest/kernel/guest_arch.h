/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of guest/arch/common/ for the rest of the guest. */
#pragma once

#include "arch/types.h"

/* Stage-1 attributes of the kernel's code: read-only, executable at EL1, nothing for EL0. */
uint64_t guest_arch_text_attributes(void);

/* Turn on stage 1, with the level-1 table at `root`, and the caches. `wxn`: writable memory never
 * executes. */
void guest_arch_mmu_on(uintptr_t root, bool wxn);

/* The ASID that stage 1 runs under, as TTBR0 holds it. */
unsigned guest_arch_asid(void);

/* From now on the interrupt entry spins exactly this many instructions before it reads the counter:
 * even; 0 is the ordinary entry. */
void guest_arch_irq_delay(uint32_t instructions);

/* The same, and the interrupt entry takes irq_stamps (guest/kernel/irq.h). */
void guest_arch_irq_stamps(uint32_t delay_instructions);

/* From now on exceptions of EL0 go to el0.S (guest/kernel/el0.h), not to the task. */
void guest_arch_el0_vectors(void);

/* From now on undefined instructions and data aborts at EL1 are skipped, guest_faults_allowed of
 * them at most; each decrements that number. One more is a crash. */
void guest_arch_survive(void);
extern volatile uint32_t guest_faults_allowed;
