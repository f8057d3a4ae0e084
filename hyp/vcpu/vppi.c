/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/vcpu/vppi.h"

#include "lib/compiler.h"
#include "lib/percpu.h"

static struct vcpu *owner PERCPU_HOT;

/* NULL: the vCPU does not have the PPI. */
static inline const struct virq *virq_of(const struct vcpu *vcpu, unsigned intid)
{
	return vcpu && vgic_routes(&vcpu->vgic, intid) ? &vcpu->vgic.virq[intid] : NULL;
}

static inline __attribute__((always_inline)) void change(const struct vcpu *from,
							 const struct vcpu *to, unsigned intid)
{
	const struct virq *old = virq_of(from, intid);
	const struct virq *new = virq_of(to, intid);
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

/* vgic.ppi_config has enables, PPIs and priorities. The value is 0, unknown, if the next load has
 * to check each PPI: software made a PPI pending, or a PPI is pending or active neither in a list
 * register nor in the queue. */
#define CONFIG_KNOWN BIT(5 * VPPI_MAX) /* bit above the priorities, which have five bits each */
#define CONFIG_PPIS 16                 /* bits 47 to 32: PPIs, whose INTIDs are 31 to 16 */
#define CONFIG_ENABLES 32              /* bits 63 to 48: enabled PPIs */

static __cold uint64_t config_of(const struct vgic *vgic)
{
	uint32_t priorities = 0, enabled = 0;

	/* bound: VPPI_MAX */
	for (uint32_t ppis = vgic->routed[0]; ppis; ppis &= ppis - 1) {
		const struct virq *virq = &vgic->virq[bit_lowest(ppis)];

		if (virq->hw_latch || virq->pending_latch)
			return 0;
		priorities = priorities << 5 | virq->config.priority >> 3;
		enabled |= virq->config.enabled ? ppis & -ppis : 0;
	}
	return (uint64_t)enabled << CONFIG_ENABLES | (uint64_t)vgic->routed[0] << CONFIG_PPIS |
	       CONFIG_KNOWN | priorities;
}

/*
 * Return whether an interrupt of a vCPU that is not loaded may be active. An interrupt is active
 * from EL2's acknowledge until the guest ends it in a list register. Otherwise the interrupt is
 * queued or spilled, which `work` shows, or waits disabled: then ppi_known is 0.
 */
static inline uint32_t has_interrupts(const struct vcpu *vcpu)
{
	return vcpu->gic.used | vcpu->vgic.work;
}

static inline __attribute__((always_inline)) void change_all(struct vcpu *from, struct vcpu *to)
{
	uint32_t ppis = (from ? from->vgic.routed[0] : 0) | (to ? to->vgic.routed[0] : 0);

	/* bound: VPPI_MAX */
	for (; ppis; ppis &= ppis - 1)
		change(from, to, bit_lowest(ppis));
	if (from && !from->vgic.ppi_known)
		from->vgic.ppi_config = config_of(&from->vgic);
	if (to && !to->vgic.ppi_known)
		to->vgic.ppi_config = config_of(&to->vgic);
}

/* Hand the PPIs over; a NULL means no vCPU. Only differences are written. */
static __attribute__((noinline)) void hand_over(struct vcpu *from, struct vcpu *to)
{
	uint32_t old = from ? gic_active_private() & from->vgic.routed[0] : 0;
	uint32_t new = to ? to->active_ppis : 0;

	change_all(from, to);
	/* bound: VPPI_MAX */
	for (uint32_t ended = old & ~new; ended; ended &= ended - 1)
		gic_deactivate(bit_lowest(ended));
	if (new & ~old)
		gic_set_active_private(new & ~old);
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

static __cold void load_slowly(struct vcpu *vcpu)
{
	if (owner != vcpu && vcpu->vgic.routed[0])
		hand_over(owner, vcpu);
}

static void change_enables(uint32_t changed, uint32_t enabled)
{
	if (changed & ~enabled)
		gic_disable_private(changed & ~enabled);
	if (changed & enabled)
		gic_enable_private(changed & enabled);
}

static void set_owner(struct vcpu *vcpu)
{
	owner = vcpu;
	if (!vcpu->active_ppis)
		return;
	gic_set_active_private(vcpu->active_ppis);
	vcpu->active_ppis = 0;
}

/* An unknown configuration differs in CONFIG_KNOWN. */
static __attribute__((noinline)) void load_enables(struct vcpu *vcpu)
{
	uint64_t config = vcpu->vgic.ppi_config;
	uint64_t changes = config ^ owner->vgic.ppi_config;

	if (changes << (64 - CONFIG_ENABLES - CONFIG_PPIS)) {
		load_slowly(vcpu);
		return;
	}
	change_enables((uint32_t)(changes >> CONFIG_ENABLES), (uint32_t)(config >> CONFIG_ENABLES));
	set_owner(vcpu);
}

/* The last case is the usual one: no PPI of the owner is active, and `vcpu` has the same PPIs with
 * the same priorities and enables. */
void vppi_load(struct vcpu *vcpu)
{
	uint64_t config = vcpu->vgic.ppi_config;

	if (!owner || !(uint32_t)config || has_interrupts(owner))
		load_slowly(vcpu);
	else if (config != owner->vgic.ppi_config)
		load_enables(vcpu);
	else
		set_owner(vcpu);
}

/* Use the enables that the last load of the vCPU found, if nothing has changed since. */
bool vppi_is_enabled(const struct vcpu *vcpu, unsigned intid)
{
	const struct vgic *vgic = &vcpu->vgic;

	if (vgic->ppi_known)
		return vgic->ppi_config >> (CONFIG_ENABLES + intid) & 1;
	return vgic_routes(vgic, intid) && vgic->virq[intid].config.enabled;
}

struct vcpu *vppi_owner(unsigned intid)
{
	return owner && (owner->vgic.routed[0] >> intid & 1) ? owner : NULL;
}

/* Return whether the vCPU owns the physical PPIs; the only vCPU with PPIs always does. */
static bool has_physical(const struct vcpu *vcpu)
{
	return !(vcpu->load_work & VCPU_SHARES_PPIS) || owner == vcpu;
}

bool vppi_is_active(const struct vcpu *vcpu, unsigned intid)
{
	if (!has_physical(vcpu))
		return vcpu->active_ppis >> intid & 1;
	return (!vcpu->vgic.ppi_known || has_interrupts(vcpu)) && gic_is_active(intid);
}

void vppi_set_active(struct vcpu *vcpu, unsigned intid)
{
	if (has_physical(vcpu))
		gic_set_active(intid);
	else
		vcpu->active_ppis |= BIT(intid);
}
