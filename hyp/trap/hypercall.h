/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by HVC: the hypercalls of abi/hypercall.h for the bench guest, and PSCI for every guest. */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* HC_COUNT functions by number: for the bench guest, and for an unmodified guest (only PSCI). */
extern hypercall *const hypercalls_bench[];
extern hypercall *const hypercalls_unmodified[];

/*
 * HC_COLD. hc_cold() is in hyp/arch/<isa>/cold.S and returns to the guest without the usual exit,
 * unless cold_call(), its C part, stores an error.
 */
struct vcpu *hc_cold(struct vcpu *vcpu);
struct vcpu *cold_call(struct vcpu *vcpu);
