/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the vectors to what handles an exit. Called by vectors.S with the vCPU that was running;
 * they return the vCPU to resume, or NULL to return from vcpu_run().
 *
 * trap_irq and trap_hvc get a light frame (or more), trap_sync a full one. Their twins that account
 * for the exit stand in trap_account.h; a vector table calls one set or the other, so accounting
 * that is off costs nothing.
 */
#pragma once

#include "hyp/arch/vectors.h"
#include "hyp/trap/exit_stats.h"
#include "hyp/vcpu/vcpu.h"

/* By ESR_EL2.EC or HSR.EC, of both isas, 64 of them: of the bench guest; of an unmodified guest.
 * NULL stops the VM. */
extern trap_handler *const traps_bench[];
extern trap_handler *const traps_unmodified[];

struct vcpu *trap_hvc(struct vcpu *vcpu, uint32_t id); /* the guest's first register; hypercall.c */
struct vcpu *trap_sync(struct vcpu *vcpu);
struct vcpu *trap_serror(struct vcpu *vcpu);

/* An exception of the hypervisor itself: panics. */
_Noreturn void hyp_exception(reg_t vector);

/* --- what trap.c has in common with trap_account.c --- */

/* By class as above: EXIT_STAT() of the kind of an exit; of a class that stops the VM 0. And of an
 * access to a device, read and write. */
#define TRAP_CLASS_MMIO 64u
extern const uint32_t trap_class_stat[];

/* The guest's interrupt that this is, or NULL. */
static inline struct virq *trap_virq(const struct vcpu *vcpu, uint32_t iar)
{
	unsigned intid = gic_intid(iar);

	return intid < VIRQ_COUNT ? vcpu->vgic.route[intid] : NULL;
}

/* The fast path: a list register is free. Returns false, with nothing done, where none is. Reads
 * memory before it writes to the GIC, since a core may wait until that is done. */
static inline bool trap_forward_at_once(struct vcpu *vcpu, uint32_t iar, struct virq *virq)
{
	unsigned lr = vgic_inject_lr(&vcpu->vgic, virq);
	uint64_t lr_value;

	if (lr == VIRQ_LR_NONE)
		return false;
	lr_value = virq->lr_value;
	gic_drop(iar); /* it stays active until the guest ends it */
	gic_lr_write(lr, lr_value);
	return true;
}

/* No list register is free. Returns `vcpu`. */
struct vcpu *trap_forward_slowly(struct vcpu *vcpu, uint32_t iar, struct virq *virq);

static inline void trap_forward(struct vcpu *vcpu, uint32_t iar, struct virq *virq)
{
	if (!trap_forward_at_once(vcpu, iar, virq))
		trap_forward_slowly(vcpu, iar, virq);
}

/* An interrupt that is not for the guest that has the core. */
struct vcpu *trap_irq_own(struct vcpu *vcpu, uint32_t iar);
