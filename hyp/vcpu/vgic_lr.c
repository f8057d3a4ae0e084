/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual GIC's queue and list registers; vgic.h states the invariants. */
#include "hyp/vcpu/vcpu.h"
#include "hyp/vcpu/vgic.h"
#include "lib/compiler.h"

#define GROUP_OFF 0x100u /* larger than every priority */

/* Return the contents of a list register. EL2 processes the end of a physical interrupt that has no
 * link. */
uint64_t vgic_lr_pending(const struct vgic *vgic, const struct virq *virq, unsigned source,
			 bool more)
{
	struct gic_lr lr = {
		.vintid = virq->intid,
		.state = GIC_LR_PENDING,
		.priority = virq->config.priority,
		.group1 = virq->config.group1,
		.hw = virq->hw && vgic->link_hw,
		.pintid = virq->intid,
		.eoi_irq = virq->hw || more,
		.source = source,
	};

	return gic_lr_encode(&lr);
}

/*
 * --- the queue: interrupts that are pending outside of list registers, enabled, and not active ---
 */

static uint32_t *queue_of(struct vgic *vgic, const struct virq *virq, uint32_t *level)
{
	*level = BIT(virq->config.priority >> 3);
	return vgic->queued[virq->config.group1][virq->config.priority >> 3];
}

void vgic_push(struct vgic *vgic, const struct virq *virq)
{
	uint32_t level, *queue = queue_of(vgic, virq, &level);

	if (virq->spilled || !virq->config.enabled || bit_test(queue, virq->intid))
		return;
	bit_set(queue, virq->intid);
	vgic->queued_at[virq->config.group1] |= level;
	vgic->work = 1;
}

static void pull(struct vgic *vgic, const struct virq *virq)
{
	uint32_t level, *queue = queue_of(vgic, virq, &level);

	if (!bit_test(queue, virq->intid))
		return;
	bit_clear(queue, virq->intid);
	if (!(queue[0] | queue[1] | queue[2] | queue[3]))
		vgic->queued_at[virq->config.group1] &= ~level;
}

static bool anything_queued(const struct vgic *vgic)
{
	return vgic->queued_at[0] | vgic->queued_at[1];
}

/* Return the priorities that the queues of these groups have. */
static uint32_t levels_of(const struct vgic *vgic, unsigned groups)
{
	return (groups & 1 ? vgic->queued_at[0] : 0) | (groups & 2 ? vgic->queued_at[1] : 0);
}

/* Return the first interrupt of this priority in the queues of these groups. */
static struct virq *first_of(struct vgic *vgic, unsigned groups, unsigned level)
{
	uint32_t zero = groups & 1 ? ~0u : 0, one = groups & 2 ? ~0u : 0;

	/* bound: VIRQ_WORDS */
	for (unsigned word = 0; word < VIRQ_WORDS; word++) {
		uint32_t bits = (vgic->queued[0][level][word] & zero) |
				(vgic->queued[1][level][word] & one);

		if (bits)
			return &vgic->virq[word * 32 + bit_lowest(bits)];
	}
	return NULL;
}

/* Return the most urgent interrupt of the queues of these groups, or else of the other groups. */
static struct virq *most_urgent(struct vgic *vgic, unsigned groups)
{
	uint32_t levels = levels_of(vgic, groups);

	if (!levels) {
		groups = ~groups;
		levels = levels_of(vgic, groups);
	}
	return levels ? first_of(vgic, groups, bit_lowest(levels)) : NULL;
}

/* --- list registers --- */

static bool lr_is(unsigned i, enum gic_lr_state state)
{
	return gic_lr_state(gic_lr_read(i)) == state;
}

static bool any_pending(const struct vgic *vgic)
{
	/* bound: LIST_REGISTERS */
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_PENDING))
			return true;
	return false;
}

/*
 * Set the owner of list register i. An interrupt has no fast path if the reason of its next pending
 * state matters.
 */
static void set_owner(struct vgic *vgic, struct virq *virq, unsigned i)
{
	struct virq *before = vgic->lr_owner[i];
	bool fast = !virq->level && !(virq->hw && virq->lr_latch);

	if (before && before->last_lr == i)
		virq_go_slowly(before);
	vgic->lr_owner[i] = virq;
	virq->last_lr = (uint8_t)i;
	virq->forward_lr = fast && virq->hw ? (uint8_t)i : VIRQ_LR_NONE;
	virq->send_lr = fast && !virq->hw ? (uint8_t)i : VIRQ_LR_NONE;
}

/* Move the pending state of list register `i` to memory. */
static void evict(struct vgic *vgic, unsigned i)
{
	struct virq *virq = vgic->lr_owner[i];
	uint64_t value = gic_lr_read(i);

	gic_lr_write(i, 0);
	if (virq->intid < GIC_SGI_COUNT)
		virq->sources |= (uint8_t)BIT(gic_lr_source(value));
	else
		virq->pending_latch |=
			virq->hw || virq->lr_latch || !virq->level || virq->config.edge;
}

__cold void vgic_dequeue(struct vgic *vgic, struct virq *virq)
{
	if (vgic_lr_has(vgic, virq, GIC_LR_PENDING))
		evict(vgic, virq->last_lr);
	pull(vgic, virq);
}

__cold void vgic_queue(struct vgic *vgic, struct virq *virq)
{
	unsigned i = virq->last_lr;

	if (!virq_waits(virq))
		return;
	/* the interrupt is pending again after its end */
	if (vgic_lr_has(vgic, virq, GIC_LR_ACTIVE))
		gic_lr_write(i, gic_lr_with_eoi_irq(gic_lr_read(i)));
	else
		vgic_push(vgic, virq);
}

/* --- ends of interrupts --- */

/* Return the active priorities of list registers. */
static uint32_t active_in_lrs(const struct vgic *vgic)
{
	uint32_t priorities = 0;

	/* bound: LIST_REGISTERS */
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_ACTIVE))
			priorities |= gic_lr_active_priority(gic_lr_read(i));
	return priorities;
}

__cold void vgic_spill(struct vgic *vgic, struct virq *virq, unsigned level)
{
	virq->spilled = (uint8_t)(level + 1);
	virq_go_slowly(virq);
	vgic->spilled_count++;
	vgic->work = 1;
}

__cold void vgic_unspill(struct vgic *vgic, struct virq *virq)
{
	unsigned level = virq->spilled - 1u;

	if (level < VIRQ_PRIORITIES && vgic->spilled_by[level] == virq->intid)
		vgic->spilled_at &= ~BIT(level);
	virq->spilled = 0;
	vgic->spilled_count--;
}

/* Process the end. An interrupt with a retarget pending then waits at its next vCPU. */
__cold void vgic_finish(struct vgic *vgic, struct virq *virq)
{
	if (virq->hw)
		gic_deactivate(virq->intid);
	if (virq->retarget)
		vgic_post_reload(vcpu_of_vgic(vgic), virq->intid);
	else
		vgic_queue(vgic, virq);
}

/* This function is out of line, so that one place has the total. */
static __attribute__((noipa)) void process_end(struct vgic *vgic, struct virq *virq)
{
	/* total: VCPUS * 2: no guest ends an interrupt meanwhile; assumed: ends */
	vgic_finish(vgic, virq);
}

/*
 * The GIC counts ends of interrupts in no list register, without their INTIDs. Active interrupts
 * nest by priority, and each end drops the priority of its interrupt (IHI 0048B 4.4.5, IHI 0069
 * 12.11.8): a spilled interrupt has ended if its priority is not active, or is that of an active
 * list register. With EOI in two steps, and a DIR that does not trap, the most urgent of those have
 * ended.
 */
static void collect_spilled(struct vgic *vgic)
{
	unsigned count = gic_virt_ends_elsewhere();
	uint32_t ended = count ? ~gic_virt_active_priorities() | active_in_lrs(vgic) : 0;

	if (!gic_virt_split_eoi())
		count = VIRQ_PRIORITIES;
	/* bound: VIRQ_PRIORITIES */
	for (ended &= vgic->spilled_at; ended && count; ended &= ended - 1, count--) {
		struct virq *virq = &vgic->virq[vgic->spilled_by[bit_lowest(ended)]];

		vgic_unspill(vgic, virq);
		process_end(vgic, virq);
	}
}

static void collect_ends(struct vgic *vgic)
{
	/* bound: LIST_REGISTERS */
	for (uint32_t ended = gic_lr_ended(); ended; ended &= ended - 1) {
		unsigned i = bit_lowest(ended);

		gic_lr_write(i, 0);
		process_end(vgic, vgic->lr_owner[i]);
	}
	if (vgic->spilled_count)
		collect_spilled(vgic);
}

/* --- the choice of interrupts for list registers --- */

/* Return the rank; a lower rank is more urgent. Groups that the CPU interface has off come last. */
static unsigned rank(const struct virq *virq, unsigned groups)
{
	return virq->config.priority | (groups >> virq->config.group1 & 1 ? 0 : GROUP_OFF);
}

/*
 * Return the list register with the least urgent pending interrupt that is less urgent than `virq`.
 */
static unsigned least_urgent_pending(const struct vgic *vgic, const struct virq *virq,
				     unsigned groups)
{
	unsigned lowest = rank(virq, groups);
	unsigned victim = VIRQ_LR_NONE;

	/* bound: LIST_REGISTERS */
	for (unsigned i = 0; i < vgic->lr_count; i++)
		if (lr_is(i, GIC_LR_PENDING) && rank(vgic->lr_owner[i], groups) > lowest) {
			lowest = rank(vgic->lr_owner[i], groups);
			victim = i;
		}
	return victim;
}

/* Every list register is active: spill the least urgent one, which ends last. */
static unsigned spill_least_urgent(struct vgic *vgic)
{
	unsigned victim = 0;
	unsigned level;

	/* bound: LIST_REGISTERS - 1 */
	for (unsigned i = 1; i < vgic->lr_count; i++)
		if (gic_lr_priority(gic_lr_read(i)) > gic_lr_priority(gic_lr_read(victim)))
			victim = i;
	level = bit_lowest(gic_lr_active_priority(gic_lr_read(victim)));
	vgic->spilled_at |= BIT(level);
	vgic->spilled_by[level] = vgic->lr_owner[victim]->intid;
	gic_lr_write(victim, 0);
	vgic_spill(vgic, vgic->lr_owner[victim], level);
	return victim;
}

/* Return a list register for `virq`: an empty one, or one with a less urgent pending interrupt.
 * Return VIRQ_LR_NONE if there is none. */
static unsigned alloc_lr(struct vgic *vgic, const struct virq *virq, unsigned groups)
{
	uint32_t empty = gic_lr_empty();
	unsigned i;

	if (empty)
		return bit_lowest(empty);
	i = least_urgent_pending(vgic, virq, groups);
	if (i != VIRQ_LR_NONE) {
		evict(vgic, i);
		vgic_push(vgic, vgic->lr_owner[i]);
	}
	return i;
}

static void place(struct vgic *vgic, struct virq *virq, unsigned i)
{
	unsigned source = virq->sources ? bit_lowest(virq->sources) : 0;

	virq->sources &= (uint8_t)~BIT(source);
	if (!virq->hw)
		virq->lr_latch = virq->pending_latch;
	virq->pending_latch = false;
	set_owner(vgic, virq, i);
	gic_lr_write(i, vgic_lr_pending(vgic, virq, source, virq_waits(virq)));
}

/* Every list register is active: spill the least urgent interrupt for the most urgent one that
 * waits, unless its group is off. */
static void fill_active(struct vgic *vgic, unsigned groups)
{
	struct virq *virq = most_urgent(vgic, groups);
	unsigned i;

	if (!virq) /* refill() found an interrupt in the queue */
		__builtin_unreachable();
	if (rank(virq, groups) >= GROUP_OFF)
		return;
	i = spill_least_urgent(vgic);
	pull(vgic, virq);
	place(vgic, virq, i);
}

/*
 * Set the maintenance events. With no list register pending the event "none pending" would hold at
 * once, and for ever.
 */
static void set_events(const struct vgic *vgic, bool waiting)
{
	unsigned events = 0;

	if (waiting)
		events = GIC_VIRT_GROUP_CHANGES | (any_pending(vgic) ? GIC_VIRT_NONE_PENDING : 0);
	if (vgic->spilled_count)
		events |= GIC_VIRT_ENDS_ELSEWHERE;
	gic_virt_set_events(events);
}

static void fill_others(struct vgic *vgic, unsigned groups)
{
	/* bound: LIST_REGISTERS + 1: the most urgent come first, so none of them is evicted; the
	 * last turn finds no list register; total: VCPUS * LIST_REGISTERS + 6: of the three
	 * refills of a visit each has one interrupt more, and a last turn */
	for (unsigned turn = 0; turn <= vgic->lr_count; turn++) {
		struct virq *virq = most_urgent(vgic, groups);
		unsigned i = virq ? alloc_lr(vgic, virq, groups) : VIRQ_LR_NONE;

		if (i == VIRQ_LR_NONE)
			return;
		pull(vgic, virq);
		/* most: LIST_REGISTERS; total: VCPUS * LIST_REGISTERS + 3 */
		place(vgic, virq, i);
	}
}

/* Fill the list registers. Return whether an interrupt waits for one. */
static bool fill(struct vgic *vgic)
{
	unsigned groups = gic_virt_groups();

	if (gic_lr_empty() || any_pending(vgic))
		fill_others(vgic, groups);
	else
		fill_active(vgic, groups);
	return anything_queued(vgic);
}

static inline void set_work(struct vgic *vgic, bool waiting)
{
	vgic->work = waiting || vgic->spilled_count || vgic->retarget_count || vgic->posted.kinds;
}

void vgic_settle(struct vgic *vgic)
{
	set_work(vgic, anything_queued(vgic));
}

/* A visit refills three times at most: after an SGI, after another change, and as a vCPU is
 * loaded. */
static __attribute__((noinline)) void refill(struct vgic *vgic)
{
	bool waiting;

	collect_ends(vgic);
	waiting = anything_queued(vgic) && fill(vgic);
	set_work(vgic, waiting);
	set_events(vgic, waiting);
}

__cold void vgic_refill(struct vgic *vgic)
{
	if (!vgic->batch)
		/* batch: none */
		refill(vgic);
}

/* batch: begins: EOIcount so far counts interrupts that are spilled now. */
__cold void vgic_begin(struct vgic *vgic)
{
	collect_ends(vgic);
	gic_virt_ends_elsewhere();
	vgic->work = 1;
	vgic->batch = true;
}

/* batch: begins: the refill at its end processes ends, and no interrupt is spilled before it. This
 * function and the next are out of line, because `make bound` knows a batch by their calls. */
__attribute__((noinline)) void vgic_begin_one(struct vgic *vgic)
{
	vgic->batch = true;
}

/* batch: ends */
__attribute__((noinline)) void vgic_end_one(struct vgic *vgic)
{
	vgic->batch = false;
	if (vgic->work)
		refill(vgic);
}

/* batch: ends */
__cold void vgic_end(struct vgic *vgic)
{
	vgic->batch = false;
	refill(vgic);
}

/* batch: ends */
__cold void vgic_end_later(struct vgic *vgic)
{
	vgic->batch = false;
	vgic->work = 1;
}

/* This function is out of line, so that a WFI without work touches fewer cache lines. */
static __cold bool anything_waits(const struct vgic *vgic)
{
	return anything_queued(vgic) || (vgic->spilled_count && gic_virt_any_end_elsewhere());
}

/* A list register whose end is not processed is neither empty nor active. No refill is needed for
 * the answer, and the maintenance interrupt for an end comes at once. With `noipa` on_wfx() is not
 * compiled for this function's registers, and fits a cache line. */
__attribute__((noipa)) bool vgic_anything_pending(const struct vgic *vgic)
{
	uint32_t all = BIT(vgic->lr_count) - 1;

	/* bound: LIST_REGISTERS */
	for (uint32_t full = all ? all & ~gic_lr_empty() : 0; full; full &= full - 1)
		if (!lr_is(bit_lowest(full), GIC_LR_ACTIVE))
			return true;
	return vgic->work && anything_waits(vgic);
}

/* Place `virq` in the usual case: no work, no end, an empty list register. Return false in any
 * other case. */
static bool place_at_once(struct vgic *vgic, struct virq *virq)
{
	uint32_t empty = gic_lr_empty();

	if (vgic->work || !empty || gic_lr_ended() || !virq_waits(virq) || !virq->config.enabled ||
	    vgic_lr_has(vgic, virq, GIC_LR_ACTIVE))
		return false;
	/* total: 2: outside of a batch of vgic_begin() a visit changes one interrupt, and one more
	 * as it loads a vCPU */
	place(vgic, virq, bit_lowest(empty));
	set_events(vgic, false);
	return true;
}

__cold void vgic_requeue(struct vgic *vgic, struct virq *virq)
{
	if (place_at_once(vgic, virq))
		return;
	vgic_queue(vgic, virq);
	vgic_refill(vgic);
}

/* The usual case, which needs no refill, is the end of one physical interrupt without a link, and
 * no work. */
void vgic_maintain(struct vgic *vgic)
{
	uint32_t ended = gic_lr_ended();
	const struct virq *virq;

	if (vgic->work || !ended || (ended & (ended - 1))) {
		refill(vgic);
		return;
	}
	virq = vgic->lr_owner[bit_lowest(ended)];
	if (!virq->hw) {
		refill(vgic);
		return;
	}
	gic_lr_write(bit_lowest(ended), 0);
	gic_deactivate(virq->intid);
}
