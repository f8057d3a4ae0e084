/* SPDX-License-Identifier: Apache-2.0 */
/* One core stands for all: what another one is asked for is done at once. */
#include "hyp/cpu/smp.h"

void smp_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument)
{
	fn(vcpu, argument);
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
