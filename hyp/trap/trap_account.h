/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The twins of trap_irq, trap_hvc and trap_sync (trap.h) that the instrumented vector tables call:
 * they do the same and account for it (exit_stats.h, abi/probe.h). The vectors of those that count
 * leave CNTPCT, as read first of all, in vcpu->exit_start.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

struct vcpu *trap_irq_counted(struct vcpu *vcpu);
struct vcpu *trap_irq_traced(struct vcpu *vcpu);
struct vcpu *trap_hvc_traced(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_traced(struct vcpu *vcpu);

/* Counted: called after trap_hvc and trap_sync with the vCPU of the exit. The first two where it
 * resumes; the last where it does not, which is given and returns what the trap returned. */
void trap_count_hvc(const struct vcpu *vcpu);
void trap_count_sync(const struct vcpu *vcpu);
struct vcpu *trap_count_leaving(struct vcpu *next, const struct vcpu *vcpu);

/* The IRQ of a vector table with probes: the stamps of abi/probe.h for an interrupt of the guest's,
 * of which the vector read the first (entry) and takes the last. Returns TRAP_UNSTAMPED where the
 * vCPU is to resume, but the stamps are to stay as they are. */
#define TRAP_UNSTAMPED ((struct vcpu *)1)
struct vcpu *trap_irq_probed(struct vcpu *vcpu, uint64_t entry);

/* Of a vector table for lr_sync=full: every list register is read first, to memory. */
struct vcpu *trap_irq_all_lrs(struct vcpu *vcpu);
struct vcpu *trap_hvc_all_lrs(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_all_lrs(struct vcpu *vcpu);
