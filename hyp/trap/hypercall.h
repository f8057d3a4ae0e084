/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by HVC: those of abi/hypercall.h for the bench guest; PSCI for every guest. */
#pragma once

#include "hyp/vcpu/vcpu.h"

/*
 * HC_COUNT functions by number: those of the bench guest; those of an unmodified guest (only PSCI).
 */
extern hypercall *const hypercalls_bench[];
extern hypercall *const hypercalls_unmodified[];
