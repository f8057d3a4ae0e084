/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of a vCPU that is not loaded: CNTV, and CNTP with cntp=passthrough. The core's timer
 * registers are another vCPU's then, so timers of the core (hyp/cpu/timerq.h) have the comparison
 * values and make the interrupts pending. hyp/vcpu/vcntp.h has cntp=emulated.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* After a save of EL1's registers: start timers of the core for those that may signal. */
void vtimer_put(struct vcpu *vcpu);

/* Whether vtimer_put() has any work: CTL.ENABLE. For the VM switch. */
static inline bool vtimer_has_work(const struct vcpu *vcpu)
{
	return (vcpu->el1.cntv_ctl_el0 | vcpu->el1.cntp_ctl_el0) & 1;
}

/* The vCPU is loaded: stop those timers. */
void vtimer_load(struct vcpu *vcpu);

/* The timer with interrupt `intid` expired: the guest gets it, as though its line had signalled. */
void vtimer_expire(struct vcpu *vcpu, unsigned intid);
void vtimer_expire_shared(struct vcpu *vcpu, unsigned intid); /* VCPU_SHARES_PPIS */

/* Stop every timer of the vCPU. */
void vtimer_stop(struct vcpu *vcpu);

/*
 * CNTVOFF of a VM that starts now: CNTVCT is `us` microseconds behind CNTPCT, but never below 0;
 * with VTIMER_FROM_0 it starts there. For vm->cntvoff.
 */
#define VTIMER_FROM_0 UINT32_MAX
uint64_t vtimer_offset(uint32_t us);
