/* SPDX-License-Identifier: Apache-2.0 */
/* One core stands for all: what another one is asked for is done at once. */
#include "hyp/cpu/smp.h"

void smp_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument)
{
	fn(vcpu, argument);
}

void smp_send_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	vgic_set_pending(&to->vgic, &to->vgic.virq[id], source);
}

unsigned smp_core(void)
{
	return 0;
}

void smp_process_calls(void)
{
}

void smp_kick(unsigned core)
{
	(void)core;
}

void smp_lock(struct smp_lock *lock)
{
	lock->next++;
}

void smp_unlock(struct smp_lock *lock)
{
	lock->now++;
}
