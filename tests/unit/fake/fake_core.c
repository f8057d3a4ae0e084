/* SPDX-License-Identifier: Apache-2.0 */
/* One core stands for all: a call of another core runs at once. */
#include "hyp/cpu/smp.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/function.h"

void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	fn(argument);
}

FAKE_VALUE_FUNC(unsigned, smp_core, (void), 0)

uint32_t fake_asked;

void smp_ask(unsigned core)
{
	fake_asked |= 1u << core;
}

FAKE_VALUE_FUNC(bool, smp_is_asked, (void), false)
FAKE_VOID_FUNC(smp_process_calls, (void))
FAKE_VOID_FUNC(smp_kick, (unsigned core))
