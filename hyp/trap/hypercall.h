/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by HVC: those of abi/hypercall.h for the bench guest; PSCI for every guest. */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* HC_COUNT functions by number: of the bench guest; of an unmodified guest (PSCI alone). */
extern hypercall *const hypercalls_bench[];
extern hypercall *const hypercalls_unmodified[];
