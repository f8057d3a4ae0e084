/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/dev/doorbell.h"

#include "abi/link.h"
#include "hyp/vm/vm.h"

static uint64_t read_doorbell(struct vcpu *vcpu, uint32_t offset, unsigned size, void *state)
{
	return 0;
}

static void ring(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	const struct doorbell *end = state;

	gic_set_pending(end->rings);
}

static void post(struct vcpu *vcpu, uint32_t offset, unsigned size, uint64_t value, void *state)
{
	const struct doorbell *end = state;

	vgic_post_state(vgicd_holder(end->to->vcpu[0], end->rings), false, true, end->rings / 32,
			BIT(end->rings % 32));
}

bool doorbell_add(struct vm *vm, struct doorbell *end)
{
	vm_add_region(vm, (struct mmio_region){ end->base + LINK_DOORBELL, LINK_DOORBELL_SIZE,
						read_doorbell, end->to ? post : ring, end,
						"doorbell" });
	return vm_map(vm, end->base + LINK_WINDOW, end->base + LINK_WINDOW, LINK_WINDOW_SIZE,
		      STAGE2_NORMAL);
}
