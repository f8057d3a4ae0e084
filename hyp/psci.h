/* SPDX-License-Identifier: Apache-2.0 */
/* Power State Coordination Interface (DEN0022), as every guest has it by HVC and SMC. */
#pragma once

#include "hyp/vcpu.h"

/* The function whose id is in x0 or r0. Ids that are not known get NOT_SUPPORTED (-1). */
struct vcpu *psci(struct vcpu *vcpu);
