/* SPDX-License-Identifier: Apache-2.0 */
/* Include the functions of guest/arch/common/ from here only. */
#pragma once

#include "arch/types.h"

/* Stage-1 attributes of the kernel's code: read-only, executable at EL1, no access for EL0. */
uint64_t guest_arch_text_attributes(void);

/* Turn on stage 1, with the level-1 table at `root`, and the caches. `wxn`: writable memory is
 * never executable. */
void guest_arch_mmu_on(uintptr_t root, bool wxn);

/* Return the ASID in TTBR0. */
unsigned guest_arch_asid(void);

/* Make the interrupt entry spin exactly this many instructions before it reads the counter. The
 * number is even; 0 restores the ordinary entry. */
void guest_arch_irq_delay(uint32_t instructions);

/* Make the interrupt entry spin as guest_arch_irq_delay() does, and store irq_stamps
 * (guest/kernel/irq.h). */
void guest_arch_irq_stamps(uint32_t delay_instructions);

/* Send exceptions of EL0 to el0.S (guest/kernel/el0.h) instead of the task, from now on. */
void guest_arch_el0_vectors(void);

/* Skip undefined instructions and data aborts at EL1 from now on. Each skip decrements
 * guest_faults_allowed; a fault at 0 is a crash. */
void guest_arch_survive(void);
extern volatile uint32_t guest_faults_allowed;
