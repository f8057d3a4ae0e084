/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vppi.h"

#include "lib/compiler.h"
#include "lib/percpu.h"

static struct vcpu *owner PERCPU;

static inline __attribute__((always_inline)) void change(const struct vcpu *from,
							 const struct vcpu *to, unsigned intid)
{
	const struct virq *old = from ? from->vgic.route[intid] : NULL;
	const struct virq *new = to ? to->vgic.route[intid] : NULL;
	bool was = old && old->config.enabled;
	bool will = new &&new->config.enabled;

	if (was && !will)
		gic_disable(intid);
	if (old && old->hw_latch)
		gic_clear_pending(intid);
	if (new && (!old || new->config.priority != old->config.priority))
		gic_set_priority(intid, new->config.priority);
	if (new &&new->hw_latch)
		gic_set_pending(intid);
	if (will && !was)
		gic_enable(intid);
}

/* What change() compares, of each PPI; no vCPU has more than five. 0: an interrupt is pending by
 * software, which moves with its vCPU. */
static __cold uint32_t config_of(const struct vgic *vgic)
{
	uint32_t config = 1;

	/* bound: 16 */
	for (uint32_t ppis = vgic->ppis; ppis; ppis &= ppis - 1) {
		const struct virq *virq = vgic->route[bit_lowest(ppis)];

		if (virq->hw_latch)
			return 0;
		config = config << 6 | (uint32_t)virq->config.enabled << 5 |
			 virq->config.priority >> 3;
	}
	return config;
}

static inline __attribute__((always_inline)) void change_all(struct vcpu *from, struct vcpu *to)
{
	uint32_t ppis = (from ? from->vgic.ppis : 0) | (to ? to->vgic.ppis : 0);

	/* bound: 16 */
	for (; ppis; ppis &= ppis - 1)
		change(from, to, bit_lowest(ppis));
	if (from && from->vgic.ppi_config == 0)
		from->vgic.ppi_config = config_of(&from->vgic);
	if (to && to->vgic.ppi_config == 0)
		to->vgic.ppi_config = config_of(&to->vgic);
}

/* NULL: no vCPU. Only what differs is written: a switch between two VMs comes here. */
static inline __attribute__((always_inline)) void hand_over(struct vcpu *from, struct vcpu *to)
{
	uint32_t old = from ? gic_active_private() & from->vgic.ppis : 0;
	uint32_t new = to ? to->active_ppis : 0;

	change_all(from, to);
	/* bound: 16 */
	for (uint32_t ended = old & ~new; ended; ended &= ended - 1)
		gic_deactivate(bit_lowest(ended));
	/* bound: 16 */
	for (uint32_t begun = new & ~old; begun; begun &= begun - 1)
		gic_set_active(bit_lowest(begun));
	if (from)
		from->active_ppis = old;
	if (to)
		to->active_ppis = 0;
	owner = to;
}

void vppi_put(void)
{
	if (owner)
		hand_over(owner, NULL);
}

void vppi_load(struct vcpu *vcpu)
{
	if (owner == vcpu || !vcpu->vgic.ppis)
		return;
	if (owner)
		hand_over(owner, vcpu);
	else
		hand_over(NULL, vcpu);
}

bool vppi_load_alike(struct vcpu *vcpu)
{
	const struct vgic *old = owner ? &owner->vgic : NULL;

	if (!old || old->ppi_config == 0 || old->ppi_config != vcpu->vgic.ppi_config ||
	    old->ppis != vcpu->vgic.ppis)
		return false;
	if (vcpu->active_ppis | (gic_active_private() & old->ppis))
		return false;
	owner = vcpu;
	return true;
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
