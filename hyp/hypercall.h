/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest asks for by HVC: abi/hypercall.h, of our own guest; PSCI, of every one. */
#pragma once

#include "hyp/vcpu.h"

/* Whether the hypercalls are there: not for a foreign guest, which has those of PSCI alone. */
void hypercall_use(bool foreign);

/* Runs the hypercall whose arguments stand in the frame behind its id; the result goes there too.
 * Returns the vCPU to resume, or NULL when the guest ended its step. */
struct vcpu *hypercall(struct vcpu *vcpu, uint32_t id);
