/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vm/vm_clock.h"

#include "arch/counter.h"
#include "hyp/base/lock.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vtimer.h"
#include "lib/bits.h"
#include "lib/compiler.h"

/* Of every VM's clock, paused and cntvoff. In no struct vm: another core may hold it, in a fail
 * over, while that VM is made anew. */
static struct lock lock;

/* A clock that has not begun is not held: the guest's CNTVCT begins as moving. */
__cold void vm_clock_set_paused(struct vm *vm, bool paused)
{
	uint64_t now;

	lock_take(&lock);
	now = counter_read();
	if (paused && !vm->paused)
		vm->clock.stopped_at = now;
	else if (!paused && vm->paused && !vm->clock.going && vm->booted)
		vm->cntvoff += now - vm->clock.stopped_at;
	__atomic_store_n(&vm->paused, paused, __ATOMIC_RELEASE);
	lock_release(&lock);
}

static void stop(struct vcpu *vcpu)
{
	struct vm_clock *clock = &vcpu->vm->clock;

	if (clock->going >> vcpu->index & 1)
		clock->stopped_at = counter_read();
	clock->going &= ~BIT(vcpu->index);
}

__cold bool vm_clock_follow(struct vcpu *vcpu)
{
	struct vm *vm = vcpu->vm;
	uint64_t offset = VTIMER_HELD;
	bool paused;

	lock_take(&lock);
	paused = vm->paused;
	if (paused) {
		stop(vcpu);
	} else {
		vm->clock.going |= BIT(vcpu->index);
		offset = vm->cntvoff;
	}
	lock_release(&lock);
	vtimer_set_offset(vcpu, offset);
	if (!paused) /* until then the core has the offset that all of its vCPUs had */
		sched_compare();
	return paused;
}

__cold void vm_clock_off(struct vcpu *vcpu)
{
	lock_take(&lock);
	stop(vcpu);
	lock_release(&lock);
}
