/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants of trap_irq, trap_hvc and trap_sync (trap.h) for the instrumented vector tables. They
 * also account for the exit (exit_stats.h, abi/probe.h). The vectors of counting tables first read
 * CNTPCT into vcpu->exit_start.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

struct vcpu *trap_irq_counted(struct vcpu *vcpu);
struct vcpu *trap_irq_traced(struct vcpu *vcpu);
struct vcpu *trap_hvc_traced(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_traced(struct vcpu *vcpu);

/* Count an exit after trap_hvc or trap_sync, with its vCPU. The first two functions are for a vCPU
 * that resumes. Otherwise the last one is called, which gets and returns the trap's result. */
void trap_count_hvc(const struct vcpu *vcpu);
void trap_count_sync(const struct vcpu *vcpu);
struct vcpu *trap_count_leaving(struct vcpu *next, const struct vcpu *vcpu);

/* The IRQ of a vector table with probes: take the stamps of abi/probe.h of a guest's interrupt. The
 * vector takes the first stamp (entry) and the last. TRAP_UNSTAMPED: the vCPU resumes, and the
 * stamps stay. */
#define TRAP_UNSTAMPED ((struct vcpu *)1)
struct vcpu *trap_irq_probed(struct vcpu *vcpu, uint64_t entry);

/* The IRQ of a vector table for lr_sync=full: read every list register to memory first. */
struct vcpu *trap_irq_all_lrs(struct vcpu *vcpu);
struct vcpu *trap_hvc_all_lrs(struct vcpu *vcpu, uint32_t id);
struct vcpu *trap_sync_all_lrs(struct vcpu *vcpu);
