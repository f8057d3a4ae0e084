/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the vectors to what handles an exit. Called by vectors.S with the vCPU that was running;
 * they return the vCPU to resume, or NULL to return from vcpu_run().
 *
 * trap_irq and trap_hvc get a light frame (or more), trap_sync a full one. The _counted and
 * _traced twins do the same and account for it (exit_stats.h); a vector table calls one set or the
 * other, so accounting that is off costs nothing. These vectors leave CNTPCT, as read first of all,
 * in vcpu->exit_start.
 */
#pragma once

#include "hyp/vcpu.h"

/* By ESR_EL2.EC or HSR.EC, of both isas, 64 of them: of the bench guest; of an unmodified guest.
 * NULL stops the VM. */
extern trap_handler *const traps_bench[];
extern trap_handler *const traps_unmodified[];

struct vcpu *trap_irq(struct vcpu *vcpu);
struct vcpu *trap_hvc(struct vcpu *vcpu, uint32_t id); /* the guest's first register; hypercall.c */
struct vcpu *trap_sync(struct vcpu *vcpu);
struct vcpu *trap_serror(struct vcpu *vcpu);

struct vcpu *trap_irq_counted(struct vcpu *vcpu);
struct vcpu *trap_irq_traced(struct vcpu *vcpu);
struct vcpu *trap_hvc_traced(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_traced(struct vcpu *vcpu);

/* Counted: called behind trap_hvc and trap_sync with exit_start, so that no register has to live
 * through the exit. The first two where the guest resumes, the last where vcpu_run() returns; it is
 * given and returns what the trap returned. */
void trap_count_hvc(uint64_t start);
void trap_count_sync(uint64_t start);
struct vcpu *trap_count_leaving(struct vcpu *next, uint64_t start);

/* The IRQ of a vector table with probes: the stamps of abi/probe.h for an interrupt of the guest's,
 * of which the vector read the first (entry) and takes the last. Returns TRAP_UNSTAMPED where the
 * vCPU is to resume, but the stamps are to stay as they are. */
#define TRAP_UNSTAMPED ((struct vcpu *)1)
struct vcpu *trap_irq_probed(struct vcpu *vcpu, uint64_t entry);

/* Of a vector table for lrs=all: every list register is read first, to memory. */
struct vcpu *trap_irq_all_lrs(struct vcpu *vcpu);
struct vcpu *trap_hvc_all_lrs(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_all_lrs(struct vcpu *vcpu);

/* An exception of the hypervisor itself: panics. */
_Noreturn void trap_own(reg_t vector);
