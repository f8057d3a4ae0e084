/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "hyp/vcpu.h"

/* Runs the hypercall whose id and arguments stand in the frame; the result goes there too.
 * Returns the vCPU to resume, or NULL when the guest ended its step. */
/* Whether the hypercalls are there: not for a foreign guest, which has those of PSCI alone. */
void hypercall_use(bool foreign);

struct vcpu *hypercall(struct vcpu *vcpu);
