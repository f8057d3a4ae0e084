/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/cpu/smp.h"

#include "arch/barrier.h"
#include "hyp/cpu/percpu.h"
#include "lib/bits.h"

/* On the caller's stack. */
struct call {
	struct call *next;
	struct vcpu *vcpu;
	void (*fn)(struct vcpu *vcpu, void *argument);
	void *argument;
	bool done;
};

/* What is asked of a core. Whoever asks writes the detail first and what leads to it last. */
struct inbox {
	struct call *calls;              /* a list, the last one first */
	struct vcpu *vcpu;               /* that the SGIs are for */
	uint32_t sgis;                   /* bit i: sources[i] is not 0 */
	uint32_t sources[GIC_SGI_COUNT]; /* bit s: from vCPU s */
} __attribute__((aligned(64)));

static struct inbox inbox[CORE_MAX];
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

void smp_wait(void)
{
	smp_process_calls();
	wfe();
}

static void put(struct inbox *to, struct call *call)
{
	call->next = __atomic_load_n(&to->calls, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&to->calls, &call->next, call, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

void smp_call(struct vcpu *vcpu, void (*fn)(struct vcpu *vcpu, void *argument), void *argument)
{
	struct call call = { .vcpu = vcpu, .fn = fn, .argument = argument };

	if (vcpu->core == number) {
		fn(vcpu, argument);
		return;
	}
	put(&inbox[vcpu->core], &call);
	smp_kick(vcpu->core);
	while (!__atomic_load_n(&call.done, __ATOMIC_ACQUIRE))
		smp_wait();
}

void smp_send_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	struct inbox *there = &inbox[to->core];

	__atomic_store_n(&there->vcpu, to, __ATOMIC_RELAXED);
	__atomic_fetch_or(&there->sources[id], (uint32_t)BIT(source), __ATOMIC_RELAXED);
	__atomic_fetch_or(&there->sgis, (uint32_t)BIT(id), __ATOMIC_RELEASE);
	smp_kick(to->core);
}

static void take_sgis(struct inbox *here)
{
	uint32_t sgis = __atomic_exchange_n(&here->sgis, 0, __ATOMIC_ACQUIRE);
	bool several = sgis & (sgis - 1);

	if (several)
		vgic_begin(&here->vcpu->vgic);
	for (; sgis; sgis &= sgis - 1) {
		unsigned id = bit_lowest(sgis);
		uint32_t sources = __atomic_exchange_n(&here->sources[id], 0, __ATOMIC_RELAXED);

		for (; sources; sources &= sources - 1)
			vgic_set_pending(&here->vcpu->vgic, &here->vcpu->vgic.virq[id],
					 bit_lowest(sources));
	}
	if (several)
		vgic_end(&here->vcpu->vgic);
}

void smp_forget_sgis(void)
{
	struct inbox *here = &inbox[number];

	for (unsigned id = 0; id < GIC_SGI_COUNT; id++)
		__atomic_store_n(&here->sources[id], 0, __ATOMIC_RELAXED);
}

/* A call is its caller's again, and gone, as soon as it is done. */
static void take_calls(struct inbox *here)
{
	struct call *call = __atomic_exchange_n(&here->calls, NULL, __ATOMIC_ACQUIRE);

	while (call) {
		struct call *next = call->next;

		call->fn(call->vcpu, call->argument);
		__atomic_store_n(&call->done, true, __ATOMIC_RELEASE);
		dsb_ish();
		sev();
		call = next;
	}
}

/* The dsb: a kick that has been acknowledged may stand for a later one, too, so what is looked at
 * here, and behind this, is not older than the acknowledge. */
void smp_process_calls(void)
{
	struct inbox *here = &inbox[number];

	dsb_sy();
	if (__atomic_load_n(&here->calls, __ATOMIC_RELAXED))
		take_calls(here);
	if (__atomic_load_n(&here->sgis, __ATOMIC_RELAXED))
		take_sgis(here);
}

void smp_lock(struct smp_lock *lock)
{
	uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&lock->now, __ATOMIC_ACQUIRE) != ticket)
		smp_wait();
}

void smp_unlock(struct smp_lock *lock)
{
	__atomic_store_n(&lock->now, lock->now + 1, __ATOMIC_RELEASE);
	dsb_ish();
	sev();
}
