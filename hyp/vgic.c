/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual GIC of one vCPU; vgic.h states its rules. */
#include "hyp/vgic.h"

#include "lib/bits.h"

/* Encodes what `virq` looks like when it becomes pending from `source`. An interrupt that the
 * hypervisor must follow up asks for a maintenance interrupt at its end: a physical one that is
 * not linked, and an SGI that is pending from further cores. */
static uint64_t lr_pending(const struct vgic *vgic, const struct virq *virq, unsigned source)
{
	struct gic_lr lr = {
		.vintid = virq->intid,
		.state = GIC_LR_PENDING,
		.priority = virq->priority,
		.hw = virq->physical && vgic->link_hw,
		.pintid = virq->intid,
		.eoi_irq = virq->physical || virq->pending || virq->line,
		.source = source,
	};

	return gic_lr_encode(&lr);
}

static bool deliverable(const struct vgic *vgic, const struct virq *virq)
{
	return vgic->dist_enabled && virq->enabled;
}

/* --- the queue: pending, deliverable, and in no list register --- */

static void queue(struct vgic *vgic, const struct virq *virq)
{
	if (bit_test(vgic->queued, virq->intid))
		return;
	bit_set(vgic->queued, virq->intid);
	vgic->queued_count++;
}

static void unqueue(struct vgic *vgic, const struct virq *virq)
{
	if (!bit_test(vgic->queued, virq->intid))
		return;
	bit_clear(vgic->queued, virq->intid);
	vgic->queued_count--;
}

/* --- list registers --- */

/* The list register that holds `virq` now, pending or active; VIRQ_LR_NONE when none does. */
static unsigned live_lr(const struct vgic *vgic, const struct virq *virq)
{
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (vgic->lr_owner[i] == virq && gic_lr_state(gic_lr_read(i)) != GIC_LR_INVALID)
			return i;
	return VIRQ_LR_NONE;
}

/* Pending in the queue, held back, or in a list register. */
static bool is_pending_here(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = live_lr(vgic, virq);

	return virq->pending ||
	       (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) != GIC_LR_ACTIVE);
}

static void own_lr(struct vgic *vgic, struct virq *virq, unsigned i)
{
	struct virq *before = vgic->lr_owner[i];

	if (before && before->fast_lr == i)
		before->fast_lr = VIRQ_LR_NONE;
	vgic->lr_owner[i] = virq;
	virq->fast_lr = (uint8_t)i;
}

/* Takes the pending part of list register `i` back; an active part stays. */
static void recall(struct vgic *vgic, unsigned i)
{
	struct virq *virq = vgic->lr_owner[i];
	uint64_t value = gic_lr_read(i);
	enum gic_lr_state state = gic_lr_state(value);

	if (state != GIC_LR_PENDING && state != GIC_LR_PENDING_ACTIVE)
		return;
	gic_lr_write(i, state == GIC_LR_PENDING ? 0 : gic_lr_with_state(value, GIC_LR_ACTIVE));
	virq->pending = true;
	if (virq->intid < GIC_SGI_COUNT)
		virq->sources |= (uint8_t)BIT(gic_lr_source(value));
	if (deliverable(vgic, virq))
		queue(vgic, virq);
}

static void pend_by_line(struct vgic *vgic, struct virq *virq)
{
	virq->soft = false;
	virq->pending = true;
	if (deliverable(vgic, virq))
		queue(vgic, virq);
}

/* Interrupts the guest has ended and that asked to be followed up. */
static void collect_ended(struct vgic *vgic)
{
	for (uint32_t ended = gic_lr_ended(); ended; ended &= ended - 1) {
		unsigned i = bit_lowest(ended);
		struct virq *virq = vgic->lr_owner[i];

		gic_lr_write(i, 0);
		if (virq->physical)
			gic_deactivate(virq->intid);
		else if (virq->line && !virq->edge)
			pend_by_line(vgic, virq);
	}
}

/* An interrupt that is active waits for its own end before it can be pending again in a list
 * register: has that end reported, and returns those of the queue that wait so. */
static void ask_for_ends(const struct vgic *vgic, uint32_t waiting[VIRQ_COUNT / 32])
{
	for (unsigned i = 0; i < vgic->lr_count; i++) {
		const struct virq *virq = vgic->lr_owner[i];
		uint64_t value;

		if (!virq || !bit_test(vgic->queued, virq->intid))
			continue;
		value = gic_lr_read(i);
		if (gic_lr_state(value) == GIC_LR_INVALID)
			continue;
		gic_lr_write(i, gic_lr_with_eoi_irq(value));
		bit_set(waiting, virq->intid);
	}
}

static struct virq *most_urgent(struct vgic *vgic)
{
	uint32_t waiting[VIRQ_COUNT / 32] = { 0 };
	struct virq *best = NULL;

	ask_for_ends(vgic, waiting);
	for (unsigned word = 0; word < ARRAY_SIZE(vgic->queued); word++)
		for (uint32_t bits = vgic->queued[word] & ~waiting[word]; bits; bits &= bits - 1) {
			struct virq *virq = &vgic->virq[word * 32 + bit_lowest(bits)];

			if (!best || virq->priority < best->priority)
				best = virq;
		}
	return best;
}

/* An empty list register, else the one with the least urgent pending interrupt that is less urgent
 * than `virq`, taken back to the queue; VIRQ_LR_NONE when every one is needed more. */
static unsigned make_room(struct vgic *vgic, const struct virq *virq)
{
	uint32_t empty = gic_lr_empty();
	unsigned victim = VIRQ_LR_NONE;
	uint8_t lowest = virq->priority;

	if (empty)
		return bit_lowest(empty);
	for (unsigned i = 0; i < vgic->lr_count; i++) {
		if (gic_lr_state(gic_lr_read(i)) != GIC_LR_PENDING)
			continue;
		if (vgic->lr_owner[i]->priority > lowest) {
			lowest = vgic->lr_owner[i]->priority;
			victim = i;
		}
	}
	if (victim != VIRQ_LR_NONE)
		recall(vgic, victim);
	return victim;
}

static void place(struct vgic *vgic, struct virq *virq, unsigned i)
{
	unsigned source = virq->sources ? bit_lowest(virq->sources) : 0;

	virq->sources &= (uint8_t)~BIT(source);
	virq->pending = virq->sources != 0;
	own_lr(vgic, virq, i);
	gic_lr_write(i, lr_pending(vgic, virq, source));
	if (virq->line) /* whatever pends it next sees whether it was taken */
		virq->fast_lr = VIRQ_LR_NONE;
	if (!virq->pending)
		unqueue(vgic, virq);
}

/*
 * Something waits for room. Says whether a pending interrupt stands in a list register: once the
 * guest has taken the last of them there may be room. Without any, there is room once an active one
 * is ended: have each end reported. What is pending again while active goes back to the queue,
 * behind what is more urgent.
 */
static bool wait_for_room(struct vgic *vgic)
{
	bool pending = false;

	for (unsigned i = 0; i < vgic->lr_count; i++)
		pending |= gic_lr_state(gic_lr_read(i)) == GIC_LR_PENDING;
	for (unsigned i = 0; i < vgic->lr_count; i++) {
		enum gic_lr_state state = gic_lr_state(gic_lr_read(i));

		if (state == GIC_LR_PENDING_ACTIVE)
			recall(vgic, i);
		if (state == GIC_LR_PENDING_ACTIVE || !pending)
			gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
	}
	return pending;
}

/*
 * The queue's most urgent interrupts into the list registers, as far as they reach. The maintenance
 * interrupt "none pending" is on only while something waits for room and one is pending: with none
 * pending it would be signalled for ever.
 */
static void refill(struct vgic *vgic)
{
	const struct virq *waiting = NULL;

	collect_ended(vgic);
	while (vgic->queued_count && !waiting) {
		struct virq *virq = most_urgent(vgic);
		unsigned i;

		if (!virq)
			break;
		i = make_room(vgic, virq);
		if (i == VIRQ_LR_NONE)
			waiting = virq;
		else
			place(vgic, virq, i);
	}
	gic_virt_none_pending_irq(waiting && wait_for_room(vgic));
}

/* --- what the rest of the hypervisor calls --- */

static void virq_reset(struct vgic *vgic, unsigned intid)
{
	struct virq *virq = &vgic->virq[intid];

	*virq = (struct virq){ .intid = (uint8_t)intid, .fast_lr = VIRQ_LR_NONE };
	virq->edge = intid < GIC_SGI_COUNT;
	virq->enabled = virq->edge && gic_version() == 2; /* there for good (IHI 0048B 4.3.5) */
	virq->lr_value = lr_pending(vgic, virq, 0);
	vgic->route[intid] = NULL;
}

void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	vgic->lr_count = lr_count;
	vgic->link_hw = link_hw;
	vgic->dist_enabled = false;
	vgic->queued_count = 0;
	vgic->leaving_count = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(vgic->queued); i++)
		vgic->queued[i] = 0;
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
	virq->lr_value = lr_pending(vgic, virq, 0);
	vgic->route[intid] = virq;
	return true;
}

/* What cannot be done by one write to a list register. Out of the way of what can. */
#define SLOW_PATH __attribute__((noinline, cold))

static SLOW_PATH void inject_slowly(struct vgic *vgic, struct virq *virq)
{
	virq->pending = true;
	if (!deliverable(vgic, virq)) /* it stays active, so it does not fire again meanwhile */
		return;
	queue(vgic, virq);
	refill(vgic);
}

/* A physical interrupt that fires anew was deactivated before, so its own list register, if it
 * still has one, is empty: one write delivers it. */
void vgic_inject_physical(struct vgic *vgic, struct virq *virq)
{
	if (virq->fast_lr != VIRQ_LR_NONE && vgic->queued_count == 0)
		gic_lr_write(virq->fast_lr, virq->lr_value);
	else
		inject_slowly(vgic, virq);
}

/* As above, but the list registers are in memory. What finds none is queued until vgic_resume(). */
void vgic_inject_absent(struct vgic *vgic, struct gic_virt_state *state, struct virq *virq)
{
	unsigned i = virq->fast_lr;

	if (i != VIRQ_LR_NONE && vgic->queued_count == 0 && !(state->used & BIT(i))) {
		state->lr[i] = virq->lr_value;
		state->used |= BIT(i);
		return;
	}
	virq->pending = true;
	if (deliverable(vgic, virq))
		queue(vgic, virq);
}

void vgic_resume(struct vgic *vgic)
{
	if (vgic->queued_count)
		refill(vgic);
}

bool vgic_may_deliver(const struct vgic *vgic, const struct virq *virq)
{
	return deliverable(vgic, virq);
}

static SLOW_PATH void set_pending_slowly(struct vgic *vgic, struct virq *virq, unsigned source)
{
	unsigned i = live_lr(vgic, virq);
	bool sgi = virq->intid < GIC_SGI_COUNT;

	virq->soft = true;
	if (sgi ? virq->sources >> source & 1 : virq->pending)
		return; /* waiting already */
	if (i != VIRQ_LR_NONE) {
		uint64_t value = gic_lr_read(i);
		bool same = !sgi || gic_lr_source(value) == source;

		if (same && gic_lr_state(value) != GIC_LR_ACTIVE)
			return; /* pending already */
		if (same && deliverable(vgic, virq) && vgic->queued_count == 0) {
			gic_lr_write(i, gic_lr_with_state(lr_pending(vgic, virq, source),
							  GIC_LR_PENDING_ACTIVE));
			return;
		}
	}
	if (sgi)
		virq->sources |= (uint8_t)BIT(source);
	virq->pending = true;
	if (!deliverable(vgic, virq))
		return;
	queue(vgic, virq);
	if (i != VIRQ_LR_NONE) /* another source, once this one is ended */
		recall(vgic, i);
	refill(vgic);
}

void vgic_set_pending(struct vgic *vgic, struct virq *virq, unsigned source)
{
	if (virq->physical) {
		if (!is_pending_here(vgic, virq)) /* it comes back as a physical interrupt */
			gic_set_pending(virq->intid);
		return;
	}
	if (virq->fast_lr != VIRQ_LR_NONE && vgic->queued_count == 0 && source == 0 &&
	    (gic_lr_empty() >> virq->fast_lr & 1)) {
		gic_lr_write(virq->fast_lr, virq->lr_value);
		return;
	}
	set_pending_slowly(vgic, virq, source);
}

/* Pending no longer: neither waiting nor in a list register. A physical interrupt was acknowledged
 * when it came here, so it is deactivated, or it would never fire again. Says whether it was. */
static bool withdraw(struct vgic *vgic, struct virq *virq)
{
	unsigned i = live_lr(vgic, virq);
	bool was_pending;

	if (i != VIRQ_LR_NONE)
		recall(vgic, i);
	was_pending = virq->pending;
	virq->fast_lr = VIRQ_LR_NONE;
	unqueue(vgic, virq);
	if (virq->physical && was_pending) {
		virq->pending = false;
		gic_deactivate(virq->intid);
	}
	return was_pending;
}

/* Not to be delivered for now. A level line signals again by itself; what was pended by software
 * (or by an edge) would be lost. */
static void hold_back(struct vgic *vgic, struct virq *virq)
{
	if (withdraw(vgic, virq) && virq->physical && !gic_is_pending(virq->intid))
		gic_set_pending(virq->intid);
}

void vgic_set_level(struct vgic *vgic, struct virq *virq, bool level)
{
	unsigned i = live_lr(vgic, virq);
	bool here = is_pending_here(vgic, virq);

	if (virq->line == level)
		return;
	virq->line = level;
	if (!here)
		virq->soft = false; /* was taken */
	if (level && i != VIRQ_LR_NONE) {
		gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
		virq->fast_lr = VIRQ_LR_NONE;
	} else if (level && !here) {
		pend_by_line(vgic, virq);
	} else if (!level && here && !virq->soft && !virq->edge) {
		withdraw(vgic, virq);
		virq->pending = false;
	}
	refill(vgic);
}

void vgic_clear_pending(struct vgic *vgic, struct virq *virq, unsigned sources)
{
	if (virq->physical)
		gic_clear_pending(virq->intid);
	withdraw(vgic, virq);
	virq->sources &= (uint8_t)~sources;
	virq->pending = virq->sources != 0 || (virq->line && !virq->edge);
	virq->soft = false;
	if (virq->pending && deliverable(vgic, virq))
		queue(vgic, virq);
	refill(vgic);
}

void vgic_set_enabled(struct vgic *vgic, struct virq *virq, bool enabled)
{
	if (virq->enabled == enabled)
		return;
	virq->enabled = enabled;
	if (enabled) {
		if (virq->pending && vgic->dist_enabled)
			queue(vgic, virq);
		refill(vgic);
		if (virq->physical)
			gic_enable(virq->intid);
		return;
	}
	if (virq->physical)
		gic_disable(virq->intid);
	hold_back(vgic, virq);
	refill(vgic);
}

void vgic_set_priority(struct vgic *vgic, struct virq *virq, uint8_t priority)
{
	unsigned i = live_lr(vgic, virq);

	virq->priority = priority & 0xf8; /* what a list register can hold */
	virq->lr_value = lr_pending(vgic, virq, 0);
	if (virq->physical)
		gic_set_priority(virq->intid, virq->priority);
	if (i != VIRQ_LR_NONE)
		recall(vgic, i);
	refill(vgic);
}

void vgic_set_dist_enabled(struct vgic *vgic, bool enabled)
{
	if (vgic->dist_enabled == enabled)
		return;
	vgic->dist_enabled = enabled;
	for (unsigned i = 0; i < VIRQ_COUNT; i++) {
		struct virq *virq = &vgic->virq[i];

		if (enabled && virq->pending && virq->enabled)
			queue(vgic, virq);
		if (!enabled)
			hold_back(vgic, virq);
	}
	refill(vgic);
}

void vgic_set_edge(struct vgic *vgic, struct virq *virq, bool edge)
{
	(void)vgic;
	virq->edge = edge;
}

void vgic_set_group1(struct vgic *vgic, struct virq *virq, bool group1)
{
	(void)vgic;
	virq->group1 = group1;
}

void vgic_set_active(struct vgic *vgic, struct virq *virq)
{
	(void)vgic;
	(void)virq;
}

void vgic_clear_active(struct vgic *vgic, struct virq *virq)
{
	unsigned i = live_lr(vgic, virq);
	uint64_t value;

	if (i == VIRQ_LR_NONE)
		return;
	value = gic_lr_read(i);
	if (gic_lr_state(value) == GIC_LR_PENDING)
		return;
	gic_lr_write(i, gic_lr_state(value) == GIC_LR_PENDING_ACTIVE
				? gic_lr_with_state(value, GIC_LR_PENDING)
				: 0);
	if (virq->physical)
		gic_deactivate(virq->intid);
	refill(vgic);
}

bool vgic_is_pending(const struct vgic *vgic, const struct virq *virq)
{
	return is_pending_here(vgic, virq) || (virq->line && !virq->edge) ||
	       (virq->physical && gic_is_pending(virq->intid));
}

unsigned vgic_pending_sources(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = live_lr(vgic, virq);
	unsigned sources = virq->sources;

	if (i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) != GIC_LR_ACTIVE)
		sources |= BIT(gic_lr_source(gic_lr_read(i)));
	return sources;
}

bool vgic_is_active(const struct vgic *vgic, const struct virq *virq)
{
	unsigned i = live_lr(vgic, virq);

	return i != VIRQ_LR_NONE && gic_lr_state(gic_lr_read(i)) != GIC_LR_PENDING;
}

bool vgic_anything_pending(const struct vgic *vgic)
{
	for (unsigned i = 0; i < vgic->lr_count; i++) {
		enum gic_lr_state state = gic_lr_state(gic_lr_read(i));

		if (state == GIC_LR_PENDING || state == GIC_LR_PENDING_ACTIVE)
			return true;
	}
	return vgic->queued_count != 0;
}

bool vgic_maintain(struct vgic *vgic)
{
	collect_ended(vgic);
	if (!vgic->queued_count)
		return false;
	refill(vgic);
	return vgic->leaving_count != 0;
}

/* Counted among those that wait, so that nobody who has none pays for the question. */
void vgic_expect_end(struct vgic *vgic, struct virq *virq, bool expect)
{
	unsigned i = live_lr(vgic, virq);
	unsigned one = expect ? 1 : ~0u;

	vgic->leaving_count += one;
	vgic->queued_count += one;
	if (!expect || i == VIRQ_LR_NONE)
		return;
	recall(vgic, i); /* what is pending beside it would hide the end */
	gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
}
