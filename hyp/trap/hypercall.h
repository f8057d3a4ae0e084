/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by HVC: the hypercalls of abi/hypercall.h for the bench guest, and PSCI for every guest. */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* HC_COUNT functions by number: for the bench guest, and for an unmodified guest (only PSCI). */
extern hypercall *const hypercalls_bench[];
extern hypercall *const hypercalls_unmodified[];

/*
 * The end of HC_COLD, in hyp/arch/<isa>/cold.S: return to the guest without a line of another exit,
 * or, if the caller of the hypercall is not the plain vector table, return `vcpu`.
 */
struct vcpu *cold_return(struct vcpu *vcpu);
