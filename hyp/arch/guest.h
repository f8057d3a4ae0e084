/* SPDX-License-Identifier: Apache-2.0 */
/* What the hypervisor asks of the isa for a guest: one set of functions, implemented in
 * hyp/arch/<isa>/. */
#pragma once

#include "abi/run_config.h"
#include "hyp/vcpu/vcpu.h"

/* vcpu->el2 for this configuration: traps, routing, stage 2, what a vCPU sees of its core and its
 * timers; and, of these, the vector table alone (frame, stats or trace, probes, delay_el2). */
void cpu_guest_el2(struct vcpu *vcpu, const struct run_config *config);
void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *config);

/* The state in which a vCPU enters its guest, and the argument in x0/r0; each isa has its own. */
void cpu_set_entry(struct vcpu *vcpu, uintptr_t entry, reg_t argument);

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

/* No guest on this core: none of the traps, no timer of a guest. */
void cpu_guest_off(void);

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
