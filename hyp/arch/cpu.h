/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the isa for a core, implemented in hyp/arch/<isa>/ and hyp/arch/common/. Those
 * for a guest are in hyp/arch/guest.h. */
#pragma once

#include "arch/types.h"
#include "lib/lpae.h"

struct fp_context;

extern const char cpu_isa[]; /* "armv7", "armv8" */

/* The current exception level in ARMv8 terms: 2: HYP mode, EL2; 3: monitor mode, EL3; 1: any other
 * mode. */
unsigned cpu_level(void);

/* Physical address bits of the CPU, which are also the IPA bits of stage 2. */
unsigned cpu_pa_bits(void);

/* FP and SIMD registers, for EL2 and for guests; after cpu_init(). */
bool cpu_has_fp(void);

/* Whether the core has Secure state (EL3): an emulator may lack it. */
bool cpu_has_secure_state(void);

/* Additions that a newer core has beyond the oldest of its isa: bits of HCR and MDCR that trap
 * them. newer_init(), on each core, sets both and the registers of newer cores. */
extern reg_t newer_hcr, newer_mdcr;
void newer_init(void);
reg_t newer_scr(void); /* ARMv8: bits of SCR_EL3 that grant EL2 the additions; clears MPAM3_EL3 */

/* The registers of such additions that a guest writes without a trap. newer_is_there(): the core
 * has any. */
struct newer_el1 {
	reg_t disr, vdisr, tpidr2;
};

bool newer_is_there(void);
void newer_save(struct newer_el1 *regs);
void newer_restore(const struct newer_el1 *regs);

/* Writes all EL2 control registers: no traps, no stage 2, no guest. */
void cpu_init(void);

/* The memory types of EL2's stage 1; each isa has its own. */
void cpu_set_memory_types(void);

/* Turns EL2's stage 1 and caches on; writable implies execute-never. */
void cpu_enable_mmu(const pte_t *root);

/* Save FP and SIMD registers and load others, or load them alone; CPTR_EL2 must not trap them. */
void cpu_fp_switch(struct fp_context *from, const struct fp_context *to);
void cpu_fp_load(const struct fp_context *context);

/* Passes EL2's registers to `line`, one a call: for a panic. */
void cpu_dump(void (*line)(const char *name, uint64_t value));
