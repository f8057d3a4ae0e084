/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of a vCPU that is not loaded. CNTV is EL1's, and CNTP with cntp=passthrough: their
 * registers are switched with the vCPU, so timers of the core (hyp/cpu/timerq.h) have their
 * comparison values meanwhile, and make their interrupts pending. With cntp=emulated CNTP is
 * hyp/vcpu/vcntp.h's.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* EL1's registers have been saved: timers of the core for what may signal. */
void vtimer_put(struct vcpu *vcpu);

/* Whether there is anything to do for it, where little time is: CTL.ENABLE. */
static inline bool vtimer_has_work(const struct vcpu *vcpu)
{
	return (vcpu->el1.cntv_ctl_el0 | vcpu->el1.cntp_ctl_el0) & 1;
}

/* The vCPU is loaded: its registers signal by themselves. */
void vtimer_load(struct vcpu *vcpu);

/* The interrupt `intid` of a timer is the guest's now, as though its line had signalled it. */
void vtimer_expire(struct vcpu *vcpu, unsigned intid);
void vtimer_expire_shared(struct vcpu *vcpu, unsigned intid); /* VCPU_SHARES_PPIS */

/* No timer of the vCPU is in the queue any more. */
void vtimer_stop(struct vcpu *vcpu);

/*
 * CNTVOFF of a VM that starts now: CNTVCT is `us` microseconds behind CNTPCT, but never below 0;
 * with VTIMER_FROM_0 it starts there. For vm->cntvoff.
 */
#define VTIMER_FROM_0 UINT32_MAX
uint64_t vtimer_offset(uint32_t us);
