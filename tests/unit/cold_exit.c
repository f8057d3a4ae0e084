/* SPDX-License-Identifier: Apache-2.0 */
/* hyp/arch/<isa>/cold.S as for a caller that is not the plain vector table. */
#include "hyp/trap/hypercall.h"

struct vcpu *cold_return(struct vcpu *vcpu)
{
	return vcpu;
}
