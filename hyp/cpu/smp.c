/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/smp.h"

#include "arch/barrier.h"
#include "drivers/gic/gic.h"
#include "lib/percpu.h"

/* A call lies on its caller's stack. */
struct call {
	void (*fn)(void *argument);
	void *argument;
};

static struct call *inbox[CORE_MAX]; /* the pending call to a core, or NULL */
static bool called[CORE_MAX];
static unsigned number PERCPU;

unsigned smp_core(void)
{
	return number;
}

void smp_set_core(unsigned core)
{
	number = core;
}

/* The dsb makes the request visible before the SGI; the event wakes a core that waits in EL2. */
void smp_kick(unsigned core)
{
	dsb_ish();
	gic_send_sgi(SMP_KICK_SGI, core);
	sev();
}

void smp_continue(void)
{
	gic_send_sgi_self(SMP_CONTINUE_SGI);
}

void smp_ask(unsigned core)
{
	__atomic_store_n(&called[core], true, __ATOMIC_RELEASE);
	if (core != number)
		smp_kick(core);
}

bool smp_is_asked(void)
{
	return __atomic_load_n(&called[number], __ATOMIC_ACQUIRE);
}

void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	struct call call = { fn, argument };

	if (core == number) {
		fn(argument);
		return;
	}
	__atomic_store_n(&inbox[core], &call, __ATOMIC_RELEASE);
	smp_ask(core);
	while (__atomic_load_n(&inbox[core], __ATOMIC_ACQUIRE))
		wfe(); /* an emulator of several cores would spin for long */
}

void smp_process_calls(void)
{
	struct call *call;

	__atomic_store_n(&called[number], false, __ATOMIC_SEQ_CST);
	/* read the inbox after that store */
	call = __atomic_load_n(&inbox[number], __ATOMIC_SEQ_CST);
	if (!call)
		return;
	call->fn(call->argument);
	__atomic_store_n(&inbox[number], NULL, __ATOMIC_RELEASE);
	dsb_ish();
	sev();
}
