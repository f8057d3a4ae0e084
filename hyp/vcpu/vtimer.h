/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timers of a vCPU that does not run. CNTV is EL1's, and CNTP with cntp=passthrough: their
 * registers are switched with the vCPU, so the hypervisor's timer watches the comparison values in
 * their place, and their interrupts are made up for. With cntp=emulated CNTP's is
 * hyp/vcpu/vcntp.h's.
 */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* CNTPCT when CNTV, or CNTP, of this saved vCPU will signal; UINT64_MAX: never, or it has. */
uint64_t vtimer_deadline(const struct vcpu *vcpu);
uint64_t vtimer_physical_deadline(const struct vcpu *vcpu);

/* CNTV's moment has come: its interrupt is with the guest, as though the line had signalled it. */
void vtimer_expire(struct vcpu *vcpu);

/* The same of whichever timers' moment has come, an emulated CNTP among them. False: none's has. */
bool vtimer_expire_which(struct vcpu *vcpu, uint64_t now);

/*
 * CNTVOFF of a VM that starts now: CNTVCT is `us` microseconds behind CNTPCT, but never below 0;
 * with VTIMER_FROM_0 it starts there. For vm->cntvoff, before the first cpu_reset_guest() of the
 * VM, which writes it to the core; a VM that shares the core needs the same.
 */
#define VTIMER_FROM_0 UINT32_MAX
uint64_t vtimer_offset(uint32_t us);
