/* SPDX-License-Identifier: Apache-2.0 */
/* The isa's functions for a core, implemented in hyp/arch/<isa>/ and hyp/arch/common/.
 * hyp/arch/guest.h has the functions for a guest. */
#pragma once

#include "arch/types.h"
#include "lib/lpae.h"

struct fp_context;

extern const char cpu_isa[]; /* "armv7", "armv8" */

/* Return the current exception level in ARMv8 terms: 2: HYP mode, EL2; 3: monitor mode, EL3; 1: any
 * other mode. */
unsigned cpu_level(void);

/* Return the CPU's physical address bits, which are also the IPA bits of stage 2. */
unsigned cpu_pa_bits(void);

/* Return whether EL2 and guests have FP and SIMD registers. Call this function after cpu_init(). */
bool cpu_has_fp(void);

/* Return whether the core has Secure state (EL3): an emulator may lack it. */
bool cpu_has_secure_state(void);

/* Bits of HCR and MDCR that trap the additions of a newer core to the oldest core of its isa.
 * newer_init(), on each core, sets both and the registers of newer cores. */
extern reg_t newer_hcr, newer_mdcr;
void newer_init(void);
/* ARMv8: return bits of SCR_EL3 that grant EL2 the additions, and clear MPAM3_EL3 */
reg_t newer_scr(void);

/* Registers of additions that a guest writes without a trap. newer_is_there() returns whether the
 * core has any of them. */
struct newer_el1 {
	reg_t disr, vdisr, tpidr2;
};

bool newer_is_there(void);
void newer_save(struct newer_el1 *regs);
void newer_restore(const struct newer_el1 *regs);

/* Write all EL2 control registers: no traps, no stage 2, no guest. */
void cpu_init(void);

/* Set the memory types of EL2's stage 1; each isa has its own function. */
void cpu_set_memory_types(void);

/* Turn EL2's stage 1 and caches on. Writable memory is never executable. */
void cpu_enable_mmu(const pte_t *root);

/* Save FP and SIMD registers and load others, or only load them. CPTR_EL2 must not trap them. */
void cpu_fp_switch(struct fp_context *from, const struct fp_context *to);
void cpu_fp_load(const struct fp_context *context);

/* Pass EL2's registers to `line`, one per call, for a panic. */
void cpu_dump(void (*line)(const char *name, uint64_t value));
