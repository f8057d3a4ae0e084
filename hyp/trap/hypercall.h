/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest asks for by HVC: abi/hypercall.h, of our own guest; PSCI, of every one. */
#pragma once

#include "hyp/vcpu/vcpu.h"

/* By number, HC_COUNT of them: of the bench guest; of an unmodified guest, which has PSCI alone. */
extern hypercall *const hypercalls_bench[];
extern hypercall *const hypercalls_unmodified[];
