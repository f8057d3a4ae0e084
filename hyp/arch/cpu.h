/* SPDX-License-Identifier: Apache-2.0 */
/* What the hypervisor asks of the isa: one set of functions, implemented in hyp/arch/<isa>/. */
#pragma once

#include "abi/run_config.h"
#include "arch/types.h"
#include "hyp/vcpu/vcpu.h"
#include "lib/lpae.h"

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

/* The vector table for guests of this configuration (frame, stats or trace, probes,
 * delay_el2), and where probes go to. */
void cpu_use_vectors(const struct run_config *config);

/* Debug registers and performance monitors as at reset. */
void cpu_reset_debug(void);
void cpu_reset_pmu(void);

/* EL1, these and the timer as at reset, entry state: EL1h/SVC with everything masked, argument in
 * x0/r0. */
void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* What a kernel finds in its general registers: the address of its device tree (0: none) as the
 * boot protocol of Linux has it. */
void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb);

/* The same for a core that wakes up anew: its timers go on. */
void cpu_reset_but_timers(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Whether an instruction can stand at this address, as a call gives it: of Thumb code bit 0 is set
 * there, and in what cpu_reset_guest() is given. */
bool cpu_entry_aligned(reg_t entry);

/* Traps, routing and stage 2 as configured (VTTBR must be set); and none of it again. */
void cpu_guest_on(const struct run_config *config);
void cpu_guest_off(void);

/* FP and SIMD registers to memory and back; a trap holds for EL2, too, once it is synchronised. */
void cpu_fp_save(struct fp_context *context);
void cpu_fp_load(const struct fp_context *context);
void cpu_fp_trap(bool on);

/* The trap being handled: past the trapped instruction; fault addresses. */
void trap_skip_instruction(void);
bool trap_skip_store(void); /* a store to emulate; false: not by its syndrome, nothing skipped */
bool trap_condition_passed(uint32_t esr); /* false: a conditional one that should do nothing */
va_t trap_fault_va(bool fetch);
ipa_t trap_fault_ipa(bool fetch);

/* The guest takes the exception of an undefined instruction, at the one that trapped. */
void trap_inject_undefined(void);

/* The guest takes the abort that bare hardware raises for the access of syndrome `esr`. False, with
 * nothing done, where that very vector aborts, which it would do for ever. */
bool trap_inject_abort(uint32_t esr);

/* Emulates the system register access of syndrome `esr`; false when it is none of ours. Needs a
 * full frame. */
bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr);

/* The same of the debug registers: zero, writes go nowhere. */
bool debug_emulate(struct vcpu *vcpu, uint32_t esr);

/* EL2's registers, a line each, through `line`: for a panic. */
void cpu_dump(void (*line)(const char *name, uint64_t value));
