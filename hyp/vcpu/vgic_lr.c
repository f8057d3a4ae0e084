/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual GIC's queue and list registers; vgic.h states the rules. */
#include "hyp/vcpu/vgic.h"

#include "lib/bits.h"
#include "lib/compiler.h"

#define GROUP_OFF 0x100u /* behind every priority */

/* An interrupt that the hypervisor must follow up asks for a maintenance interrupt at its end: a
 * physical one that is not linked, and one of which more is pending already. */
uint64_t vgic_lr_pending(const struct virq *virq, bool link_hw, unsigned source)
{
	struct gic_lr lr = {
		.vintid = virq->intid,
		.state = GIC_LR_PENDING,
		.priority = virq->priority,
		.group1 = virq->group1,
		.hw = virq->physical && link_hw,
		.pintid = virq->intid,
		.eoi_irq = virq->physical || virq_waits(virq),
		.source = source,
	};

	return gic_lr_encode(&lr);
}

/* --- the queue: pending, enabled, not active, and in no list register --- */

static void count_queued(struct vgic *vgic, unsigned group, unsigned one)
{
	vgic->queued_count[group] += one;
	if (vgic->groups_enabled >> group & 1)
		vgic->backlog += one;
}

void vgic_queue(struct vgic *vgic, const struct virq *virq)
{
	unsigned level = VIRQ_LEVEL(virq);
	uint32_t *queue = vgic->queued[virq->group1][level];

	if (virq->parked || !virq->enabled || bit_test(queue, virq->intid))
		return;
	bit_set(queue, virq->intid);
	vgic->queued_at[virq->group1] |= BIT(level);
	count_queued(vgic, virq->group1, 1);
}

static void unqueue(struct vgic *vgic, const struct virq *virq)
{
	unsigned level = VIRQ_LEVEL(virq);
	uint32_t *queue = vgic->queued[virq->group1][level];

	if (!bit_test(queue, virq->intid))
		return;
	bit_clear(queue, virq->intid);
	if (!(queue[0] | queue[1] | queue[2] | queue[3]))
		vgic->queued_at[virq->group1] &= ~BIT(level);
	count_queued(vgic, virq->group1, ~0u);
}

/* --- list registers --- */

unsigned vgic_live_lr(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = virq->last_lr;

	if (vgic->lr_owner[i] != virq || gic_lr_state(gic_lr_read(i)) == GIC_LR_INVALID)
		return VIRQ_LR_NONE;
	return i;
}

static bool lr_is(unsigned i, enum gic_lr_state state)
{
	return gic_lr_state(gic_lr_read(i)) == state;
}

/* The next one that is pending without a trap on the way may be written there by the fast paths:
 * not where it matters what made it pending. */
static void own_lr(struct vgic *vgic, struct virq *virq, unsigned i)
{
	struct virq *before = vgic->lr_owner[i];

	if (before && before->fast_lr == i)
		before->fast_lr = VIRQ_LR_NONE;
	vgic->lr_owner[i] = virq;
	virq->last_lr = (uint8_t)i;
	virq->fast_lr =
		virq->line || (virq->physical && virq->lr_latched) ? VIRQ_LR_NONE : (uint8_t)i;
}

/* Takes list register `i`, which is pending, back. What stood there without its line being high
 * was pending by software. */
static void recall(struct vgic *vgic, unsigned i)
{
	struct virq *virq = vgic->lr_owner[i];
	uint64_t value = gic_lr_read(i);

	gic_lr_write(i, 0);
	if (virq->intid < GIC_SGI_COUNT)
		virq->sources |= (uint8_t)BIT(gic_lr_source(value));
	else if (virq->physical)
		virq->pending = true;
	else
		virq->latched_here |= virq->lr_latched || !virq->line || virq->edge;
}

__cold void vgic_take(struct vgic *vgic, struct virq *virq)
{
	unsigned i = vgic_live_lr(vgic, virq);

	if (i != VIRQ_LR_NONE && lr_is(i, GIC_LR_PENDING))
		recall(vgic, i);
	unqueue(vgic, virq);
}

__cold void vgic_give_later(struct vgic *vgic, struct virq *virq)
{
	unsigned i;

	if (!virq_waits(virq))
		return;
	i = vgic_live_lr(vgic, virq);
	if (i != VIRQ_LR_NONE) /* active: pending again after its end */
		gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
	else
		vgic_queue(vgic, virq);
}

/* --- the ends of interrupts --- */

/* The priorities of those that are active in list registers. */
static uint32_t active_in_lrs(const struct vgic *vgic)
{
	uint32_t priorities = 0;

	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_ACTIVE))
			priorities |= gic_lr_active_priority(gic_lr_read(i));
	return priorities;
}

__cold void vgic_park(struct vgic *vgic, struct virq *virq)
{
	virq->parked = true;
	virq->fast_lr = VIRQ_LR_NONE;
	vgic->parked_count++;
	vgic->backlog++;
}

__cold void vgic_unpark(struct vgic *vgic, struct virq *virq)
{
	for (uint32_t left = vgic->spilled; left; left &= left - 1)
		if (vgic->spilled_by[bit_lowest(left)] == virq->intid)
			vgic->spilled &= ~(left & -left);
	virq->parked = false;
	vgic->parked_count--;
	vgic->backlog--;
}

/* One that leaves is pending again at its next vCPU. */
__cold void vgic_finish(struct vgic *vgic, struct virq *virq)
{
	if (virq->physical)
		gic_deactivate(virq->intid);
	if (virq->leaving)
		vgic_post_left(vgic, virq);
	else
		vgic_give_later(vgic, virq);
}

/*
 * The guest ended interrupts that are in no list register; the GIC counts those and does not say
 * which. Active interrupts nest by priority, and each end drops the priority of its interrupt (IHI
 * 0048B 4.4.5, IHI 0069 12.11.8): what is parked has ended if its priority is not active, or again
 * by what is in a list register. With EOI in two steps, where DIR does not trap, it is the most
 * urgent of those.
 */
static void collect_parked(struct vgic *vgic)
{
	unsigned count = gic_virt_ends_elsewhere();
	uint32_t ended = count ? ~gic_virt_active_priorities() | active_in_lrs(vgic) : 0;

	if (!gic_virt_split_eoi())
		count = VIRQ_PRIORITIES;
	for (ended &= vgic->spilled; ended && count; ended &= ended - 1, count--) {
		struct virq *virq = &vgic->virq[vgic->spilled_by[bit_lowest(ended)]];

		vgic_unpark(vgic, virq);
		vgic_finish(vgic, virq);
	}
}

/* What the guest ended and asked to be followed up for. */
static void collect(struct vgic *vgic)
{
	for (uint32_t ended = gic_lr_ended(); ended; ended &= ended - 1) {
		unsigned i = bit_lowest(ended);

		gic_lr_write(i, 0);
		vgic_finish(vgic, vgic->lr_owner[i]);
	}
	if (vgic->parked_count)
		collect_parked(vgic);
}

/* --- which stand in the list registers --- */

/* Less is more urgent. What the guest's CPU interface does not take is behind everything. */
static unsigned rank(const struct virq *virq, unsigned groups)
{
	return virq->priority | (groups >> virq->group1 & 1 ? 0 : GROUP_OFF);
}

static struct virq *first_of(struct vgic *vgic, unsigned groups)
{
	uint32_t none = groups & 1 ? ~0u : 0, one = groups & 2 ? ~0u : 0;
	uint32_t levels = (vgic->queued_at[0] & none) | (vgic->queued_at[1] & one);
	unsigned level = levels ? bit_lowest(levels) : 0;

	for (unsigned word = 0; levels && word < VIRQ_COUNT / 32; word++) {
		uint32_t bits = (vgic->queued[0][level][word] & none) |
				(vgic->queued[1][level][word] & one);

		if (bits)
			return &vgic->virq[word * 32 + bit_lowest(bits)];
	}
	return NULL;
}

static struct virq *most_urgent(struct vgic *vgic, unsigned groups)
{
	struct virq *virq = first_of(vgic, vgic->groups_enabled & groups);

	return virq ? virq : first_of(vgic, vgic->groups_enabled & ~groups);
}

/* The list register with the least urgent pending interrupt that is less urgent than `virq`. */
static unsigned least_urgent_pending(const struct vgic *vgic, const struct virq *virq,
				     unsigned groups)
{
	unsigned lowest = rank(virq, groups);
	unsigned victim = VIRQ_LR_NONE;

	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_PENDING) && rank(vgic->lr_owner[i], groups) > lowest) {
			lowest = rank(vgic->lr_owner[i], groups);
			victim = i;
		}
	return victim;
}

static bool any_pending(const struct vgic *vgic)
{
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_PENDING))
			return true;
	return false;
}

/* Every list register is active: the one that is the last to be ended goes on in memory. */
static unsigned spill(struct vgic *vgic)
{
	unsigned victim = 0;
	unsigned level;

	for (unsigned i = 1; i < vgic->lr_count; i++)
		if (gic_lr_priority(gic_lr_read(i)) > gic_lr_priority(gic_lr_read(victim)))
			victim = i;
	level = bit_lowest(gic_lr_active_priority(gic_lr_read(victim)));
	vgic->spilled |= BIT(level);
	vgic->spilled_by[level] = vgic->lr_owner[victim]->intid;
	gic_lr_write(victim, 0);
	vgic_park(vgic, vgic->lr_owner[victim]);
	return victim;
}

/* A list register for `virq`, empty by now; VIRQ_LR_NONE when every one is needed more. */
static unsigned make_room(struct vgic *vgic, const struct virq *virq, unsigned groups)
{
	uint32_t empty = gic_lr_empty();
	unsigned i;

	if (empty)
		return bit_lowest(empty);
	i = least_urgent_pending(vgic, virq, groups);
	if (i != VIRQ_LR_NONE) {
		recall(vgic, i);
		vgic_give_later(vgic, vgic->lr_owner[i]);
		return i;
	}
	if (rank(virq, groups) >= GROUP_OFF || any_pending(vgic))
		return VIRQ_LR_NONE;
	return spill(vgic);
}

static void place(struct vgic *vgic, struct virq *virq, unsigned i)
{
	unsigned source = virq->sources ? bit_lowest(virq->sources) : 0;

	unqueue(vgic, virq);
	virq->sources &= (uint8_t)~BIT(source);
	virq->pending = false;
	if (!virq->physical)
		virq->lr_latched = virq->latched_here;
	virq->latched_here = false;
	own_lr(vgic, virq, i);
	gic_lr_write(i, vgic_lr_pending(virq, vgic->link_hw, source));
}

/*
 * What the maintenance interrupt is to report. "None pending" only while something waits for room
 * and something is pending in a list register: with nothing pending there it would be signalled
 * for ever.
 */
static void set_events(const struct vgic *vgic, bool waiting)
{
	unsigned events = 0;

	if (waiting)
		events = GIC_VIRT_GROUP_CHANGES | (any_pending(vgic) ? GIC_VIRT_NONE_PENDING : 0);
	if (vgic->parked_count)
		events |= GIC_VIRT_ENDS_ELSEWHERE;
	gic_virt_set_events(events);
}

static __attribute__((noinline)) void refill(struct vgic *vgic)
{
	unsigned groups = ~0u;
	bool waiting = false;

	collect(vgic);
	if (vgic->backlog)
		groups = gic_virt_groups();
	while (vgic_anything_queued(vgic) && !waiting) {
		struct virq *virq = most_urgent(vgic, groups);
		unsigned i = make_room(vgic, virq, groups);

		waiting = i == VIRQ_LR_NONE;
		if (!waiting)
			place(vgic, virq, i);
	}
	set_events(vgic, waiting);
}

__cold void vgic_refill(struct vgic *vgic)
{
	if (!vgic->batch)
		refill(vgic);
}

/* Ends that no list register saw are those of what is parked by now. */
__cold void vgic_begin(struct vgic *vgic)
{
	collect(vgic);
	gic_virt_ends_elsewhere();
	vgic->batch = true;
}

__cold void vgic_end(struct vgic *vgic)
{
	vgic->batch = false;
	refill(vgic);
}

__cold bool vgic_anything_behind(struct vgic *vgic)
{
	refill(vgic);
	return any_pending(vgic) || vgic_anything_queued(vgic);
}

/* What is usual: nothing else waits, nothing ended, and a list register is empty. */
static bool place_at_once(struct vgic *vgic, struct virq *virq)
{
	uint32_t empty = gic_lr_empty();

	if (vgic->backlog || vgic->batch || !empty || gic_lr_ended() || !virq_waits(virq) ||
	    !virq_deliverable(vgic, virq) || vgic_live_lr(vgic, virq) != VIRQ_LR_NONE)
		return false;
	place(vgic, virq, bit_lowest(empty));
	set_events(vgic, false);
	return true;
}

__cold void vgic_give(struct vgic *vgic, struct virq *virq)
{
	if (place_at_once(vgic, virq))
		return;
	vgic_give_later(vgic, virq);
	vgic_refill(vgic);
}

/* What is usual: the end of one physical interrupt that is not linked, and nothing waits. */
void vgic_maintain(struct vgic *vgic)
{
	uint32_t ended = gic_lr_ended();
	const struct virq *virq;

	if (vgic->backlog || !ended || (ended & (ended - 1))) {
		refill(vgic);
		return;
	}
	virq = vgic->lr_owner[bit_lowest(ended)];
	if (!virq->physical) {
		refill(vgic);
		return;
	}
	gic_lr_clear(bit_lowest(ended));
	gic_deactivate(virq->intid);
}
