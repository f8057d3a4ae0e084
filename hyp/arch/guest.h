/* SPDX-License-Identifier: Apache-2.0 */
/* The isa's functions for a guest, implemented in hyp/arch/<isa>/ and hyp/arch/common/. */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* Set vcpu->el2 for this configuration: traps, routing, stage 2, the core's identity and timers for
 * the vCPU. cpu_use_vectors() sets only the vector table (frame, stats or trace, probes,
 * delay_el2). */
void cpu_guest_el2(struct vcpu *vcpu, const struct run_config *config);
void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *config);

/*
 * Set the state in which a vCPU enters its guest, and the argument in x0/r0; each isa has its own
 * function.
 */
void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Reset the debug registers. */
void cpu_reset_debug(void);

/* Reset EL1's, debug and PMU registers and the timers. The vCPU enters at EL1h or in Supervisor
 * mode with every exception masked and the argument in x0/r0. */
void cpu_reset_guest(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Set the general registers by the boot protocol of Linux. dtb: address of the device tree, or
 * 0. */
void cpu_boot_registers(struct vcpu *vcpu, uintptr_t dtb);

/* cpu_reset_guest() for a core that was off: the timers continue. */
void cpu_reset_but_timers(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

/* Return whether `entry` is the address of an instruction. Bit 0 is set for Thumb code, also in an
 * entry for cpu_reset_guest(). */
bool cpu_entry_aligned(reg_t entry);

/* The core has no guest: turn every trap and the guest's timers off. */
void cpu_guest_off(void);

/* The functions below act on the current trap: they skip the trapped instruction, or return fault
 * addresses. */
void trap_skip_instruction(void);
/* skip a store to emulate; false: the syndrome is wrong, and nothing is skipped */
bool trap_skip_store(void);
/* undo trap_skip_store(): the guest executes the store again */
void trap_repeat_store(void);
bool trap_condition_passed(uint32_t esr); /* false if the instruction failed its condition */
va_t trap_fault_va(bool fetch);
ipa_t trap_fault_ipa(bool fetch);

/* Inject an undefined instruction exception at the trapped instruction. */
void trap_inject_undefined(void);

/* Inject the abort that bare hardware raises for the access of syndrome `esr`. Return false,
 * without effect, if the vector itself aborts, because it would abort for ever. */
bool trap_inject_abort(uint32_t esr);

/* Emulate the system register access of syndrome `esr`. Return false if EL2 does not emulate this
 * register. A full frame is needed. */
bool sysreg_emulate(struct vcpu *vcpu, uint32_t esr);

/* Emulate the system register access of syndrome `esr` if it accesses ACTLR, or sends an SGI that
 * needs no more than a list register. Return false without an effect for every other access. */
bool sysreg_emulate_at_once(struct vcpu *vcpu, uint32_t esr);

/* Emulate an access to debug registers: a read returns 0, and a write has no effect. */
bool debug_emulate(struct vcpu *vcpu, uint32_t esr);
