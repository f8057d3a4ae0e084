/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the isa for a guest, implemented in hyp/arch/<isa>/ and hyp/arch/common/. */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* Sets vcpu->el2 by this configuration: traps, routing, stage 2, the core's identity and timers for
 * the vCPU. cpu_use_vectors() sets the vector table alone (frame, stats or trace, probes,
 * delay_el2). */
void cpu_guest_el2(struct vcpu *vcpu, const struct run_config *config);
void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *config);

/* The state in which a vCPU enters its guest, and the argument in x0/r0; each isa has its own. */
void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Sets debug registers as at reset. */
void cpu_reset_debug(void);

/* Sets EL1's, debug and PMU registers and the timers as at reset. The vCPU enters at EL1h or in
 * Supervisor mode with every exception masked and the argument in x0/r0. */
void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Sets the general registers as in the boot protocol of Linux. dtb: address of the device tree; 0:
 * none. */
void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb);

/* cpu_reset_guest() for a core that was off: the timers go on. */
void cpu_reset_but_timers(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Whether `entry` is the address of an instruction. Bit 0 is set for Thumb code, also in an entry
 * for cpu_reset_guest(). */
bool cpu_entry_aligned(reg_t entry);

/* No guest on this core: turns every trap and the timers of a guest off. */
void cpu_guest_off(void);

/* The current trap: skip the trapped instruction; fault addresses. */
void trap_skip_instruction(void);
bool trap_skip_store(void); /* a store to emulate; false: wrong syndrome, nothing is skipped */
bool trap_condition_passed(uint32_t esr); /* false: the instruction failed its condition */
va_t trap_fault_va(bool fetch);
ipa_t trap_fault_ipa(bool fetch);

/* Injects the exception of an undefined instruction, at the trapped instruction. */
void trap_inject_undefined(void);

/* Injects the abort that bare hardware raises for the access of syndrome `esr`. False, without
 * effect: the vector itself aborts, and would abort for ever. */
bool trap_inject_abort(uint32_t esr);

/* Emulates the system register access of syndrome `esr`. False: EL2 does not emulate this register.
 * Needs a full frame. */
bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr);

/* The same for debug registers: a read gives 0, a write has no effect. */
bool debug_emulate(struct vcpu *vcpu, uint32_t esr);
