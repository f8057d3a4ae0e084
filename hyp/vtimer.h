/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual timer of a vCPU that does not run. CNTV is EL1's: its registers are switched with the
 * vCPU, so the hypervisor's timer watches the comparison value in its place, and its interrupt is
 * made up for.
 */
#pragma once

#include "hyp/vcpu.h"

/* CNTPCT when the timer of this saved vCPU will signal; UINT64_MAX: never, or it has already. */
uint64_t vtimer_deadline(const struct vcpu *vcpu);

/* That moment has come: the interrupt is with the guest, as though the line had signalled it. */
void vtimer_expire(struct vcpu *vcpu);
