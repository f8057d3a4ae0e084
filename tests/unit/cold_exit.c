/* SPDX-License-Identifier: Apache-2.0 */
/* hyp/arch/<isa>/cold.S without its return to the guest, which has no meaning on the host. */
#include "hyp/trap/hypercall.h"

struct vcpu *hc_cold(struct vcpu *vcpu)
{
	return cold_call(vcpu);
}
