/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/smp.h"

#include "arch/barrier.h"
#include "drivers/gic/gic.h"
#include "lib/percpu.h"

/* On the caller's stack. */
struct call {
	struct call *next;
	void (*fn)(void *argument);
	void *argument;
	bool done;
};

static struct call *inbox[CORE_MAX]; /* calls to a core: a list, the last one first */
static bool asked[CORE_MAX];
static unsigned number PERCPU;

unsigned smp_core(void)
{
	return number;
}

void smp_set_core(unsigned core)
{
	number = core;
}

/* The dsb makes what is asked visible before the SGI; the event is for a core that waits in EL2. */
void smp_kick(unsigned core)
{
	dsb_ish();
	gic_send_sgi(SMP_KICK_SGI, core);
	sev();
}

void smp_ask(unsigned core)
{
	__atomic_store_n(&asked[core], true, __ATOMIC_RELEASE);
	if (core != number)
		smp_kick(core);
}

bool smp_is_asked(void)
{
	return __atomic_load_n(&asked[number], __ATOMIC_ACQUIRE);
}

static void put(struct call **to, struct call *call)
{
	call->next = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(to, &call->next, call, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	struct call call = { .fn = fn, .argument = argument };

	if (core == number) {
		fn(argument);
		return;
	}
	put(&inbox[core], &call);
	smp_ask(core);
	while (!__atomic_load_n(&call.done, __ATOMIC_ACQUIRE))
		wfe(); /* an emulator of several cores would spin for long */
}

/* A call is its caller's again, and gone, as soon as it is done. */
static void take_calls(void)
{
	struct call *call = __atomic_exchange_n(&inbox[number], NULL, __ATOMIC_ACQUIRE);

	while (call) {
		struct call *next = call->next;

		call->fn(call->argument);
		__atomic_store_n(&call->done, true, __ATOMIC_RELEASE);
		dsb_ish();
		sev();
		call = next;
	}
}

void smp_process_calls(void)
{
	__atomic_store_n(&asked[number], false, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&inbox[number], __ATOMIC_SEQ_CST)) /* not before that store */
		take_calls();
}
