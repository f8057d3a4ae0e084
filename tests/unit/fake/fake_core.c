/* SPDX-License-Identifier: Apache-2.0 */
/* One core stands for all: what another one is asked for is done at once. */
#include "hyp/cpu/smp.h"
#include "tests/unit/fake/fake.h"

void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	fn(argument);
}

unsigned smp_core(void)
{
	return 0;
}

uint32_t fake_asked;

void smp_ask(unsigned core)
{
	fake_asked |= 1u << core;
}

bool smp_is_asked(void)
{
	return false;
}

void smp_process_calls(void)
{
}

void smp_kick(unsigned core)
{
}
