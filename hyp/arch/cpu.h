/* SPDX-License-Identifier: Apache-2.0 */
/* What the hypervisor asks of the isa for a core: one set of functions, implemented in
 * hyp/arch/<isa>/. What a guest needs of the isa is in hyp/arch/guest.h. */
#pragma once

#include "arch/types.h"
#include "lib/lpae.h"

struct fp_context;

extern const char cpu_isa[]; /* "armv7", "armv8" */

/* The exception level this code runs at, in ARMv8 terms: 2 is HYP/EL2, 3 monitor mode/EL3, 1 any
 * other mode. */
unsigned cpu_level(void);

/* What the CPU implements: physical address bits; IPA bits stage 2 can take in. */
unsigned cpu_pa_bits(void);

/* FP and SIMD registers, for EL2 and for guests; after cpu_init(). */
bool cpu_has_fp(void);

/* Whether it has Secure state (EL3): an emulator may leave that out. */
bool cpu_has_secure_state(void);

/* EL2 control registers in full, whatever was in them: no traps, no stage 2, no guest. */
void cpu_init(void);

/* EL2's own stage 1 on, caches on, writable implies execute-never. */
void cpu_enable_mmu(const pte_t *root);

/* FP and SIMD registers to memory and back; CPTR_EL2 must not trap them. */
void cpu_fp_save(struct fp_context *context);
void cpu_fp_load(const struct fp_context *context);

/* EL2's registers, a line each, through `line`: for a panic. */
void cpu_dump(void (*line)(const char *name, uint64_t value));
