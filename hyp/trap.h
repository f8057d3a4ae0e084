/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the vectors to what handles an exit. Called by vectors.S with the vCPU that was running;
 * they return the vCPU to resume, or NULL to return from vcpu_run().
 *
 * trap_irq and trap_hvc get a light frame (or more), trap_sync a full one. The _instrumented
 * twins do the same and account for it (exit_stats, trace); a vector table calls one set or the
 * other, so accounting that is off costs nothing.
 */
#pragma once

#include "hyp/vcpu.h"

struct vcpu *trap_irq(struct vcpu *vcpu);
struct vcpu *trap_hvc(struct vcpu *vcpu);
struct vcpu *trap_sync(struct vcpu *vcpu);
struct vcpu *trap_serror(struct vcpu *vcpu);

struct vcpu *trap_irq_instrumented(struct vcpu *vcpu);
struct vcpu *trap_hvc_instrumented(struct vcpu *vcpu);
struct vcpu *trap_sync_instrumented(struct vcpu *vcpu);

/* An exception of the hypervisor itself: panics. */
_Noreturn void trap_own(reg_t vector);
