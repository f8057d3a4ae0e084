/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A virtual CPU. Its frame comes first and its hypervisor stack lies just below it, so that in
 * hypervisor context the stack pointer an exit begins with *is* the struct vcpu:
 *
 *      lower addresses            sp at trap_*()            sp in guest context (SP_EL2, SP_hyp)
 *      [ stack, grows down … ]    [ frame ]                 [ host_sp, vm, … ]
 *
 * (Armv7: in guest context it points between the frame's light part and the rest, which saves a
 * subtraction at each exit; arch/trap_frame.h.)
 */
#pragma once

#include "arch/el1_regs.h"
#include "arch/fp_context.h"
#include "arch/sysreg.h"
#include "arch/trap_frame.h"
#include "hyp/vcpu/vcntp.h"
#include "hyp/vcpu/vgic.h"

#define VCPU_STACK_SIZE 8192
#define VCPU_MAX 4u /* of a VM */

struct vm;
struct vcpu;

/* Handles an exit of syndrome `esr`; runs a hypercall, arguments and result in the frame. Returns
 * the vCPU to resume, or NULL when the VM is at its end. */
typedef struct vcpu *trap_handler(struct vcpu *vcpu, uint32_t esr);
typedef struct vcpu *hypercall(struct vcpu *vcpu);

/* EL1's registers, each as wide as it reads. */
struct el1_regs {
#define X(name, value) __typeof__(read_##name()) name;
	EL1_REGS(X)
#undef X
};

struct vcpu {
	struct trap_frame frame;
	reg_t host_sp; /* vcpu_run.S: where it was called */
	struct vm *vm;
	uint64_t exit_start; /* (stats, trace) CNTPCT as the vector read it */
	unsigned index;      /* in its VM, from 0: its affinity 0.0.0.index, its GICv2 number */
	unsigned core;       /* that runs it, while the VM runs */
	trap_handler *const *traps; /* vm->type's, and the next: an exit has them by one load */
	hypercall *const *hypercalls;
	bool asleep; /* since a WFI; no interrupt came for it yet */

	/* While another vCPU has the core; stale else. The frame is a full one then. Before what is
	 * large, so that one instruction reaches each. */
	reg_t elr, spsr;
	uint64_t vttbr;
	struct el1_regs el1;
	struct gic_virt_state gic;
	struct fp_context fp; /* unless the core holds it, hyp/cpu/fp.h */

	struct vcntp cntp; /* cntp=emulated */
	struct vgic vgic;

	/* Turned on and off by PSCI (hyp/vm/psci.h); the rest: where it begins, and with what. */
	uint32_t power;
	reg_t start_entry, start_context;
};

/* Offsets that frame.inc names. */
_Static_assert(offsetof(struct vcpu, host_sp) == TRAP_FRAME_SIZE, "VCPU_HOST_SP in frame.inc");
_Static_assert(offsetof(struct vcpu, exit_start) == TRAP_FRAME_SIZE + 2 * sizeof(reg_t),
	       "VCPU_EXIT_START in frame.inc");

struct vcpu_space {
	uint8_t stack[VCPU_STACK_SIZE];
	struct vcpu vcpu;
} __attribute__((aligned(16)));

/* Enters the guest with the frame's registers and ELR/SPSR as they are; returns when a trap
 * handler returns NULL instead of a vCPU to resume. In hyp/arch/<isa>/vcpu_run.S. */
void vcpu_run(struct vcpu *vcpu);

/* What the core holds of the vCPU that has it to memory; its virtual interface is off then. */
void vcpu_save(struct vcpu *vcpu);

/* The core goes to another vCPU. Called by vcpu_run.S, the general registers are in the frame. */
void vcpu_switch(struct vcpu *from, struct vcpu *to);
