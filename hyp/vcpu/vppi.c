/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vppi.h"

#include "lib/percpu.h"

static struct vcpu *owner PERCPU;

/* The vCPU is not the owner. */
static void put_one(struct vcpu *vcpu, unsigned intid)
{
	gic_disable(intid);
	if (gic_is_active(intid)) {
		vcpu->active_ppis |= BIT(intid);
		gic_deactivate(intid);
	}
	if (vcpu->vgic.virq[intid].hw_latch)
		gic_clear_pending(intid);
}

static void load_one(struct vcpu *vcpu, unsigned intid)
{
	const struct virq *virq = &vcpu->vgic.virq[intid];

	gic_set_priority(intid, virq->config.priority);
	if (virq->hw_latch)
		gic_set_pending(intid);
	if (vcpu->active_ppis & BIT(intid))
		gic_set_active(intid);
	if (vgic_may_deliver(&vcpu->vgic, virq))
		gic_enable(intid);
}

void vppi_put(void)
{
	if (!owner)
		return;
	for (uint32_t ppis = owner->vgic.ppis; ppis; ppis &= ppis - 1)
		put_one(owner, bit_lowest(ppis));
	owner = NULL;
}

void vppi_load(struct vcpu *vcpu)
{
	if (owner == vcpu || !vcpu->vgic.ppis)
		return;
	vppi_put();
	for (uint32_t ppis = vcpu->vgic.ppis; ppis; ppis &= ppis - 1)
		load_one(vcpu, bit_lowest(ppis));
	vcpu->active_ppis = 0;
	owner = vcpu;
}

struct vcpu *vppi_owner(unsigned intid)
{
	return owner && (owner->vgic.ppis >> intid & 1) ? owner : NULL;
}

/* A vCPU that alone has PPIs has the physical ones. */
static bool has_physical(const struct vcpu *vcpu)
{
	return !(vcpu->load_work & VCPU_SHARES_PPIS) || owner == vcpu;
}

bool vppi_is_active(const struct vcpu *vcpu, unsigned intid)
{
	return has_physical(vcpu) ? gic_is_active(intid) : vcpu->active_ppis >> intid & 1;
}

void vppi_set_active(struct vcpu *vcpu, unsigned intid)
{
	if (has_physical(vcpu))
		gic_set_active(intid);
	else
		vcpu->active_ppis |= BIT(intid);
}
