/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/core.h"

void core_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument)
{
	fn(vcpu, argument);
}

void core_send_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	vgic_set_pending(&to->vgic, &to->vgic.virq[id], source);
}

void core_serve(void)
{
}
