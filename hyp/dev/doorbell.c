/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/doorbell.h"

#include "abi/link.h"
#include "arch/mmio.h"
#include "arch/sysreg.h"
#include "hyp/base/clock.h"
#include "hyp/vm/vm.h"
#include "lib/compiler.h"

#define US_PER_S 1000000u

static reg_t read_doorbell(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return 0;
}

static inline void pend(const struct doorbell *end)
{
	mmio_write32(end->pends, end->bit);
}

static void post(const struct doorbell *end)
{
	vgic_post_state(vgicd_holder(end->to->vcpu[0], end->rings), false, true, end->rings / 32,
			end->bit);
}

static void ring_and_rest(struct doorbell *end)
{
	end->rests_until = read_cntpct_el0() + (uint64_t)clock_hz() * DOORBELL_REST_US / US_PER_S;
	end->to ? post(end) : pend(end);
}

static void rested(struct timer *timer)
{
	struct vcpu *vcpu = (struct vcpu *)((char *)timer - offsetof(struct vcpu, doorbell_timer));

	ring_and_rest(vcpu->vm->machine->doorbell);
}

/* Ring again, although the other VM has not rung since this VM's last ring. */
static __cold void ring_again(struct vcpu *vcpu, struct doorbell *end)
{
	if (read_cntpct_el0() >= end->rests_until) {
		ring_and_rest(end);
	} else if (!timer_is_queued(&vcpu->doorbell_timer)) {
		vcpu->doorbell_timer.function = rested;
		timerq_start(&vcpu->doorbell_timer, end->rests_until);
	}
}

/* Take this VM's turn to ring. Return whether the other VM has rung since this VM's last ring; if
 * not, ring again. */
static inline bool take_turn(struct vcpu *vcpu, struct doorbell *end)
{
	if (*end->last == end) {
		ring_again(vcpu, end);
		return false;
	}
	*end->last = end;
	return true;
}

static void ring_physical(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value,
			  void *state)
{
	if (take_turn(vcpu, state))
		pend(state);
}

static void ring_virtual(struct vcpu *vcpu, uint32_t offset, unsigned size, reg_t value,
			 void *state)
{
	if (take_turn(vcpu, state))
		post(state);
}

bool doorbell_add(struct vm *vm, struct doorbell *end)
{
	end->pends = gic_pending_register(end->rings);
	end->bit = BIT(end->rings % 32);
	vm_add_region(vm, (struct mmio_region){ end->base + LINK_DOORBELL, LINK_DOORBELL_SIZE,
						.read = read_doorbell,
						end->to ? ring_virtual : ring_physical, end,
						"doorbell" });
	return vm_map(vm, end->base + LINK_WINDOW, end->base + LINK_WINDOW, LINK_WINDOW_SIZE,
		      STAGE2_NORMAL);
}
