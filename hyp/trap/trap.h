/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry points of exits. The vectors call them with the vCPU that was running. They return the vCPU
 * to resume, or NULL: then vcpu_run() returns.
 *
 * trap_irq and trap_hvc get a light frame (or more), trap_sync a full one. trap_account.h has
 * variants that account for the exit. A vector table calls one set, so disabled accounting costs
 * nothing.
 */
#pragma once

#include "arch/probe.h"
#include "hyp/arch/vectors.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vcpu/vcpu.h"

/* Tables of 64 handlers, by ESR_EL2.EC or HSR.EC of both isas, for the bench guest and for
 * unmodified guests. A NULL entry stops the VM. */
extern trap_handler *const traps_bench[];
extern trap_handler *const traps_unmodified[];

struct vcpu *trap_irq(struct vcpu *vcpu);
struct vcpu *trap_hvc(struct vcpu *vcpu, uint32_t id); /* the guest's first register; hypercall.c */
struct vcpu *trap_sync(struct vcpu *vcpu);
struct vcpu *trap_serror(struct vcpu *vcpu);

/* Take an interrupt on a core without a vCPU. Return false if none was pending. */
bool trap_irq_idle(void);

/* Panic because of an exception of the hypervisor itself. While the self-check looks for RAM, the
 * panic reports that RAM is missing. */
extern const char *volatile hyp_exception_means;
_Noreturn void hyp_exception(reg_t vector);

/* --- shared by the files of this folder --- */

/* EXIT_STAT() of an exit's kind, by class; 0: the class stops the VM. Two further entries are a
 * read and a write of a device. */
#define TRAP_CLASS_MMIO 64u
extern const uint32_t trap_class_stat[];

/* Return the loaded vCPU's interrupt, or NULL. */
static inline struct virq *trap_virq(struct vcpu *vcpu, uint32_t iar)
{
	unsigned intid = gic_intid(iar);

	return intid < VIRQ_COUNT && vgic_routes(&vcpu->vgic, intid) ? &vcpu->vgic.virq[intid]
								     : NULL;
}

/* The fast path. Return false, without an effect, if no list register is free, or if `virq` is no
 * physical interrupt of the vCPU. The path reads memory before it writes to the GIC, because a core
 * may wait for that write. */
static inline bool trap_forward_at_once(struct vcpu *vcpu, uint32_t iar, const struct virq *virq)
{
	unsigned lr = vgic_inject_lr(&vcpu->vgic, virq);
	uint64_t lr_value;

	if (lr & VIRQ_LR_NONE)
		return false;
	lr_value = virq->lr_value;
	gic_drop(iar); /* the interrupt stays active until the guest ends it */
	gic_lr_write(lr, lr_value);
	return true;
}

/* Forward without a free list register. Return `vcpu`. */
struct vcpu *trap_forward_slowly(struct vcpu *vcpu, uint32_t iar, struct virq *virq);

/* Handle an interrupt that is not forwarded at once. */
struct vcpu *trap_irq_own(struct vcpu *vcpu, uint32_t iar);

/* Every call is inlined or a tail call, so the path needs no stack. */
static inline struct vcpu *trap_irq_acked(struct vcpu *vcpu, uint32_t iar)
{
	unsigned intid = gic_intid(iar);

	if (intid < VIRQ_COUNT && trap_forward_at_once(vcpu, iar, &vcpu->vgic.virq[intid]))
		return vcpu;
	return trap_irq_own(vcpu, iar);
}
