/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual GIC of one vCPU: interrupt states; vgic.h states the rules. */
#include "hyp/vcpu/vgic.h"

#include <string.h>

#include "lib/bits.h"
#include "lib/compiler.h"
#include "lib/percpu.h"

#define GROUPS 3u

static struct vgic *owner[VIRQ_COUNT] PERCPU;

static void virq_reset(struct vgic *vgic, unsigned intid)
{
	struct virq *virq = &vgic->virq[intid];

	*virq = (struct virq){ .intid = (uint8_t)intid, .fast_lr = VIRQ_LR_NONE };
	virq->edge = intid < GIC_SGI_COUNT;
	virq->enabled = virq->edge && gic_version() == 2; /* there for good (IHI 0048B 4.3.5) */
	virq->lr_value = vgic_lr_pending(virq, vgic->link_hw, 0);
	vgic->route[intid] = NULL;
}

void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	vgic->lr_count = lr_count;
	vgic->link_hw = link_hw;
	vgic->groups_enabled = 0;
	vgic->backlog = 0;
	vgic->parked_count = 0;
	vgic->leaving_count = 0;
	vgic->spilled = 0;
	vgic->batch = false;
	memset(&vgic->posted, 0, sizeof(vgic->posted));
	memset(vgic->published, 0, sizeof(vgic->published));
	memset(vgic->forwarded, 0, sizeof(vgic->forwarded));
	memset(vgic->queued, 0, sizeof(vgic->queued));
	memset(vgic->queued_at, 0, sizeof(vgic->queued_at));
	memset(vgic->queued_count, 0, sizeof(vgic->queued_count));
	for (unsigned i = 0; i < GIC_LR_MAX; i++)
		vgic->lr_owner[i] = NULL;
	for (unsigned i = 0; i < VIRQ_COUNT; i++)
		virq_reset(vgic, i);
}

bool vgic_forward(struct vgic *vgic, unsigned intid)
{
	struct virq *virq;

	if (intid >= VIRQ_COUNT)
		return false;
	virq = &vgic->virq[intid];
	virq->physical = true;
	virq->lr_value = vgic_lr_pending(virq, vgic->link_hw, 0);
	vgic->route[intid] = virq;
	bit_set(vgic->forwarded, intid);
	owner[intid] = vgic;
	return true;
}

struct vgic *vgic_owner(unsigned intid)
{
	if (intid >= VIRQ_COUNT || !owner[intid] || !owner[intid]->route[intid])
		return NULL;
	return owner[intid];
}

/* --- physical interrupts: pending at the physical GIC, or active there and with the guest --- */

/* It was acknowledged. What had been latched there is so no longer. */
static void capture(struct virq *virq)
{
	virq->pending = true;
	virq->lr_latched = virq->latched;
	virq->latched = false;
}

__cold void vgic_inject_slowly(struct vgic *vgic, struct virq *virq)
{
	capture(virq);
	vgic_give(vgic, virq);
}

/* A physical interrupt that fires anew was deactivated before, so its own list register, if it
 * still has one, is empty: one write delivers it. */
unsigned vgic_lr_at_once(const struct vgic *vgic, const struct virq *virq)
{
	return vgic->backlog == 0 ? virq->fast_lr : VIRQ_LR_NONE;
}

void vgic_inject_physical(struct vgic *vgic, struct virq *virq)
{
	unsigned lr = vgic_lr_at_once(vgic, virq);

	if (lr != VIRQ_LR_NONE)
		gic_lr_write(lr, virq->lr_value);
	else
		vgic_inject_slowly(vgic, virq);
}

static __cold void queue_absent(struct vgic *vgic, struct virq *virq)
{
	capture(virq);
	vgic_queue(vgic, virq);
}

/* As above, but the list registers are in memory. What finds none is queued until vgic_load(). */
void vgic_inject_absent(struct vgic *vgic, struct gic_virt_state *state, struct virq *virq)
{
	unsigned i = virq->fast_lr;

	if (i != VIRQ_LR_NONE && vgic->backlog == 0 && !(state->used & BIT(i))) {
		state->lr[i] = virq->lr_value;
		state->used |= BIT(i);
	} else {
		queue_absent(vgic, virq);
	}
}

__cold void vgic_catch_up(struct vgic *vgic)
{
	vgic_refill(vgic);
}

static void latch_physical(struct virq *virq)
{
	virq->latched = true;
	gic_set_pending(virq->intid);
}

/*
 * What was acknowledged and is not active yet is to be pending at the physical GIC again. A level
 * that is still high is so by itself; what was latched would be lost. Of an SPI it is not known:
 * HC_RAISE latches them.
 */
static void release(struct virq *virq)
{
	if (virq->lr_latched || virq->edge || virq->intid >= GIC_PRIVATE_COUNT)
		latch_physical(virq);
	virq->lr_latched = false;
	virq->pending = false;
}

/* Not to be delivered for now: held back where its line is. */
static void hold_back(struct virq *virq)
{
	virq->fast_lr = VIRQ_LR_NONE;
	if (!virq->pending)
		return;
	release(virq);
	gic_deactivate(virq->intid);
}

/* --- pending --- */

static void set_physical_pending(struct vgic *vgic, struct virq *virq)
{
	unsigned i = vgic_live_lr(vgic, virq);

	virq->fast_lr = VIRQ_LR_NONE; /* so that its acknowledge is noticed */
	if (virq->pending || (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) == GIC_LR_PENDING))
		virq->lr_latched = true;
	else
		latch_physical(virq); /* it comes back as a physical interrupt */
}

__cold void vgic_set_pending_from(struct vgic *vgic, struct virq *virq, unsigned sources)
{
	if (virq->physical) {
		set_physical_pending(vgic, virq);
		return;
	}
	vgic_take(vgic, virq);
	if (virq->intid < GIC_SGI_COUNT)
		virq->sources |= (uint8_t)sources;
	else
		virq->latched_here = true;
	vgic_give(vgic, virq);
}

void vgic_set_pending(struct vgic *vgic, struct virq *virq, unsigned source)
{
	unsigned i = virq->fast_lr;

	if (i != VIRQ_LR_NONE && !virq->physical && vgic->backlog == 0 && source == 0 &&
	    (gic_lr_empty() >> i & 1))
		gic_lr_write(i, virq->lr_value);
	else
		vgic_set_pending_from(vgic, virq, BIT(source));
}

void vgic_clear_pending(struct vgic *vgic, struct virq *virq, unsigned sources)
{
	bool captured;

	vgic_take(vgic, virq);
	captured = virq->pending;
	virq->sources &= (uint8_t)~sources;
	virq->latched = virq->latched_here = virq->pending = false;
	if (virq->physical) {
		virq->fast_lr = VIRQ_LR_NONE;
		virq->lr_latched = false;
		if (captured)
			gic_deactivate(virq->intid);
	}
	vgic_give(vgic, virq);
}

__cold void vgic_set_level(struct vgic *vgic, struct virq *virq, bool level)
{
	if (virq->line == level)
		return;
	vgic_take(vgic, virq);
	virq->line = level;
	virq->fast_lr = VIRQ_LR_NONE;
	vgic_give(vgic, virq);
}

/* --- what the guest programs --- */

bool vgic_may_deliver(const struct vgic *vgic, const struct virq *virq)
{
	return virq_deliverable(vgic, virq);
}

/* Whether it may be delivered, or queued, has changed, or may have. A physical one that may not be
 * delivered stays where it comes from. */
static void update_enable(struct vgic *vgic, struct virq *virq, bool before)
{
	bool now = virq_deliverable(vgic, virq);

	if (!now)
		virq->fast_lr = VIRQ_LR_NONE;
	vgic_take(vgic, virq);
	if (virq->physical && before && !now) {
		gic_disable(virq->intid);
		hold_back(virq);
	}
	vgic_give_later(vgic, virq);
	if (virq->physical && now && !before)
		gic_enable(virq->intid);
}

void vgic_set_enabled(struct vgic *vgic, struct virq *virq, bool enabled)
{
	bool before = virq_deliverable(vgic, virq);

	if (virq->enabled == enabled)
		return;
	virq->enabled = enabled;
	update_enable(vgic, virq, before);
	vgic_refill(vgic);
}

__cold void vgic_set_group1(struct vgic *vgic, struct virq *virq, bool group1)
{
	bool before = virq_deliverable(vgic, virq);

	if (virq->group1 == group1)
		return;
	vgic_take(vgic, virq);
	virq->group1 = group1;
	virq->lr_value = vgic_lr_pending(virq, vgic->link_hw, 0);
	update_enable(vgic, virq, before);
	vgic_refill(vgic);
}

static void update_group(struct vgic *vgic, struct virq *virq, unsigned before)
{
	if (virq->enabled && ((before ^ vgic->groups_enabled) >> virq->group1 & 1))
		update_enable(vgic, virq, before >> virq->group1 & 1);
}

/* What is queued stays so: it waits for its group by then. */
__cold void vgic_set_groups_enabled(struct vgic *vgic, unsigned groups)
{
	unsigned before = vgic->groups_enabled;

	vgic->groups_enabled = groups & GROUPS;
	if (vgic->groups_enabled == before)
		return;
	for (unsigned word = 0; word < VIRQ_COUNT / 32; word++)
		for (uint32_t bits = vgic->forwarded[word]; bits; bits &= bits - 1)
			update_group(vgic, &vgic->virq[word * 32 + bit_lowest(bits)], before);
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (vgic->lr_owner[i] && !virq_deliverable(vgic, vgic->lr_owner[i]))
			update_enable(vgic, vgic->lr_owner[i], false);
	vgic->backlog = vgic->parked_count + vgic->leaving_count;
	for (unsigned group = 0; group < VIRQ_GROUPS; group++)
		if (vgic->groups_enabled >> group & 1)
			vgic->backlog += vgic->queued_count[group];
	vgic_refill(vgic);
}

/* Nothing of it is pending here: what changes about it changes nothing else. */
static bool is_idle(const struct vgic *vgic, const struct virq *virq)
{
	return vgic_live_lr(vgic, virq) == VIRQ_LR_NONE && !virq_waits(virq);
}

void vgic_set_priority(struct vgic *vgic, struct virq *virq, uint8_t priority)
{
	bool idle = is_idle(vgic, virq);

	if (!idle)
		vgic_take(vgic, virq);
	virq->priority = priority & 0xf8; /* what a list register can hold */
	virq->lr_value = gic_lr_with_priority(virq->lr_value, priority);
	if (virq->physical)
		gic_set_priority(virq->intid, virq->priority);
	if (!idle)
		vgic_give(vgic, virq);
}

/* Private interrupts are as their devices are: IHI 0048B 4.3.13 leaves it open. */
__cold void vgic_set_edge(struct vgic *vgic, struct virq *virq, bool edge)
{
	if (virq->intid < GIC_PRIVATE_COUNT || virq->edge == edge)
		return;
	vgic_take(vgic, virq);
	virq->edge = edge;
	if (virq->physical)
		gic_set_edge(virq->intid, edge);
	vgic_give(vgic, virq);
}

/* --- active --- */

__cold void vgic_set_active(struct vgic *vgic, struct virq *virq)
{
	vgic_catch_up(vgic);
	vgic_take(vgic, virq);
	if (!vgic_is_active(vgic, virq)) {
		if (virq->pending)
			release(virq);
		else if (virq->physical)
			gic_set_active(virq->intid);
		vgic_park(vgic, virq);
	}
	vgic_give(vgic, virq);
}

__cold void vgic_clear_active(struct vgic *vgic, struct virq *virq)
{
	unsigned i;

	vgic_catch_up(vgic);
	i = vgic_live_lr(vgic, virq);
	if (virq->parked)
		vgic_unpark(vgic, virq);
	else if (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) == GIC_LR_ACTIVE)
		gic_lr_write(i, 0);
	else
		return;
	vgic_finish(vgic, virq);
	vgic_refill(vgic);
}

void vgic_deactivate(struct vgic *vgic, unsigned intid)
{
	if (intid >= VIRQ_COUNT || !gic_virt_split_eoi())
		return;
	vgic_clear_active(vgic, &vgic->virq[intid]);
}

/* --- what the guest reads --- */

bool vgic_is_pending(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i;

	if (virq_waits(virq) || (virq->physical && gic_is_pending(virq->intid)))
		return true;
	i = vgic_live_lr(vgic, virq);
	return i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) == GIC_LR_PENDING;
}

unsigned vgic_pending_sources(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = vgic_live_lr(vgic, virq);
	unsigned sources = virq->sources;

	if (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) == GIC_LR_PENDING)
		sources |= BIT(gic_lr_source(gic_lr_read(i)));
	return sources;
}

bool vgic_is_active(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = vgic_live_lr(vgic, virq);

	return virq->parked || (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) == GIC_LR_ACTIVE);
}

bool vgic_anything_pending(struct vgic *vgic)
{
	uint32_t all = BIT(vgic->lr_count) - 1;

	for (uint32_t full = all ? all & ~gic_lr_empty() : 0; full; full &= full - 1)
		if (gic_lr_state(gic_lr_read(bit_lowest(full))) != GIC_LR_ACTIVE)
			return true;
	return vgic->backlog && vgic_anything_behind(vgic);
}

/* Counted among what is not done yet: a vCPU that has none does not pay for the question. */
void vgic_expect_end(struct vgic *vgic, struct virq *virq, bool expect)
{
	unsigned i = vgic_live_lr(vgic, virq);
	unsigned one = expect ? 1 : ~0u;

	if (virq->leaving == expect)
		return;
	virq->leaving = expect;
	vgic->leaving_count += one;
	vgic->backlog += one;
	if (expect && i != VIRQ_LR_NONE)
		gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
	if (!expect)
		vgic_give(vgic, virq);
}
