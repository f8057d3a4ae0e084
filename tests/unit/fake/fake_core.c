/* SPDX-License-Identifier: Apache-2.0 */
/* One core stands for all: what another one is asked for is done at once. */
#include "hyp/core.h"

void core_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument)
{
	fn(vcpu, argument);
}

void core_send_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	vgic_set_pending(&to->vgic, &to->vgic.virq[id], source);
}

unsigned core_number(void)
{
	return 0;
}

void core_serve(void)
{
}

void core_kick(unsigned core)
{
	(void)core;
}

void core_lock(struct core_lock *lock)
{
	lock->next++;
}

void core_unlock(struct core_lock *lock)
{
	lock->now++;
}
