/* SPDX-License-Identifier: Apache-2.0 */
/* The virtual GIC of one vCPU: interrupt states; vgic.h states the invariants. */
#include "hyp/vcpu/vgic.h"

#include <string.h>

#include "lib/compiler.h"

/* Each member has an assignment: for an initializer GCC calls memset() on ARMv7, which takes
 * several times as long. */
static void virq_reset(struct vgic *vgic, unsigned intid)
{
	struct virq *virq = &vgic->virq[intid];

	virq->config = (struct virq_config){ .edge = intid < GIC_SGI_COUNT };
	virq->forward_lr = virq->send_lr = VIRQ_LR_NONE;
	virq->last_lr = virq->sources = virq->spilled = 0;
	virq->intid = (uint8_t)intid;
	virq->hw = virq->pending_latch = virq->hw_latch = virq->lr_latch = false;
	virq->level = virq->retarget = false;
	_Static_assert(offsetof(struct virq, retarget) == 23, "a new member needs an assignment");
	virq->lr_value = vgic_lr_pending(vgic, virq, 0, false);
}

static void reset_routes(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	memset(vgic, 0, offsetof(struct vgic, spilled_at));
	vgic->lr_count = lr_count;
	vgic->link_hw = link_hw;
}

static void reset_queues(struct vgic *vgic)
{
	memset(&vgic->spilled_at, 0,
	       offsetof(struct vgic, virq) - offsetof(struct vgic, spilled_at));
}

void vgic_reset_piece(struct vgic *vgic, unsigned piece, unsigned lr_count, bool link_hw)
{
	if (piece == 0)
		reset_routes(vgic, lr_count, link_hw);
	else if (piece == 1)
		reset_queues(vgic);
	else
		/* bound: 32 */
		for (unsigned i = 0; i < 32; i++)
			virq_reset(vgic, (piece - 2) * 32 + i);
}

void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	/* bound: VGIC_RESET_PIECES */
	for (unsigned piece = 0; piece < VGIC_RESET_PIECES; piece++)
		vgic_reset_piece(vgic, piece, lr_count, link_hw);
}

bool vgic_forward(struct vgic *vgic, unsigned intid)
{
	struct virq *virq;

	if (intid >= VIRQ_COUNT)
		return false;
	virq = &vgic->virq[intid];
	virq->hw = true;
	virq->lr_value = vgic_lr_pending(vgic, virq, 0, false);
	bit_set(vgic->routed, intid);
	return true;
}

/*
 * --- physical interrupts: pending at the physical GIC, or active there and accepted for the guest
 * ---
 */

/* Accept an acknowledged interrupt. The acknowledge cleared the pending state that software set at
 * the physical GIC. The interrupt is active there, and need not enter a list register. */
static void accept(struct vgic *vgic, struct virq *virq)
{
	vgic->ppi_known = 0;
	virq->pending_latch = true;
	virq->lr_latch = virq->hw_latch;
	virq->hw_latch = false;
}

/* Drop posts for an interrupt's pending state, because the interrupt becomes pending now. A posted
 * ICPENDR is older, and had no pending state to clear. */
static void outrun_posts(struct vgic *vgic, const struct virq *virq, unsigned source)
{
	vgic_fetch_posted(&vgic->posted.pair[0][virq->intid / 32], BIT(virq->intid % 32));
	if (virq->intid < GIC_SGI_COUNT)
		vgic_fetch_posted(&vgic->posted.sources[virq->intid / 4],
				  BIT(virq->intid % 4 * 8 + source));
}

__cold void vgic_inject(struct vgic *vgic, struct virq *virq)
{
	if (vgic->posted.kinds)
		outrun_posts(vgic, virq, 0);
	accept(vgic, virq);
	vgic_requeue(vgic, virq);
}

/*
 * A physical interrupt that is signalled again has been deactivated, so its list register is empty.
 */
unsigned vgic_inject_lr(const struct vgic *vgic, const struct virq *virq)
{
	return vgic->work == 0 ? virq->forward_lr : VIRQ_LR_NONE;
}

static __cold void queue_unloaded(struct vgic *vgic, struct virq *virq)
{
	outrun_posts(vgic, virq, 0);
	accept(vgic, virq);
	vgic_push(vgic, virq);
}

/* Another vCPU owns the list registers. vgic_load() empties the queue. */
void vgic_inject_unloaded(struct vgic *vgic, struct gic_virt_state *state, struct virq *virq)
{
	unsigned i = virq->forward_lr;

	if (!(i & VIRQ_LR_NONE) && !(vgic->work | vgic->posted.kinds) && !(state->used & BIT(i))) {
		state->lr[i] = virq->lr_value;
		state->used |= BIT(i);
	} else {
		queue_unloaded(vgic, virq);
	}
}

static void set_hw_pending(struct virq *virq)
{
	virq->hw_latch = true;
	gic_set_pending(virq->intid);
}

/* Return whether an accepted interrupt becomes pending at the physical GIC even if its level is
 * low. If another vCPU has posted a change of the pending state, the post decides, since the core
 * would no longer find the interrupt accepted when it processes the post. Otherwise an SPI counts
 * as pending by its latch, since HC_RAISE sets the latch. */
static bool is_latched(struct vgic *vgic, const struct virq *virq)
{
	uint64_t posted = 0;

	if (vgic->posted.kinds)
		posted = vgic_fetch_posted(&vgic->posted.pair[0][virq->intid / 32],
					   BIT(virq->intid % 32));
	if (posted)
		return (uint32_t)posted;
	return virq->lr_latch || virq->config.edge || virq->intid >= GIC_PRIVATE_COUNT;
}

/*
 * Return an accepted interrupt to the physical GIC, pending. A level that is still high is pending
 * anyway; a latch must be set again.
 */
static void give_back(struct vgic *vgic, struct virq *virq)
{
	if (is_latched(vgic, virq))
		set_hw_pending(virq);
	virq->lr_latch = false;
	virq->pending_latch = false;
}

/* Disable an interrupt that must not be delivered. An accepted interrupt returns to the physical
 * GIC. */
static void withhold(struct vgic *vgic, struct virq *virq)
{
	gic_disable(virq->intid);
	if (!virq->pending_latch)
		return;
	give_back(vgic, virq);
	gic_deactivate(virq->intid);
}

/* --- pending --- */

/* A physical interrupt loses forward_lr, so that EL2 sees its acknowledge. */
__cold void vgic_set_pending_from(struct vgic *vgic, struct virq *virq, unsigned sources)
{
	if (virq->hw) {
		virq_go_slowly(virq);
		vgic->ppi_known = 0;
		if (virq->pending_latch || vgic_lr_has(vgic, virq, GIC_LR_PENDING))
			virq->lr_latch = true;
		else
			set_hw_pending(virq);
		return;
	}
	vgic_dequeue(vgic, virq);
	if (virq->intid < GIC_SGI_COUNT)
		virq->sources |= (uint8_t)sources;
	else
		virq->pending_latch = true;
	vgic_requeue(vgic, virq);
}

/* Make the interrupt pending after its posts, which are older requests. */
static __cold void set_pending_slowly(struct vgic *vgic, struct virq *virq, unsigned source)
{
	if (vgic->posted.kinds)
		outrun_posts(vgic, virq, source);
	vgic_set_pending_from(vgic, virq, BIT(source));
}

void vgic_set_pending(struct vgic *vgic, struct virq *virq, unsigned source)
{
	if (!vgic_set_pending_at_once(vgic, virq, source))
		set_pending_slowly(vgic, virq, source);
}

void vgic_clear_pending(struct vgic *vgic, struct virq *virq, unsigned sources)
{
	vgic_dequeue(vgic, virq);
	if (virq->hw) {
		virq_go_slowly(virq);
		virq->lr_latch = virq->hw_latch = false;
		if (virq->pending_latch)
			gic_deactivate(virq->intid);
	}
	virq->sources &= (uint8_t)~sources;
	virq->pending_latch = false;
	vgic_requeue(vgic, virq);
}

__cold void vgic_set_level(struct vgic *vgic, struct virq *virq, bool level)
{
	if (virq->level == level)
		return;
	vgic_dequeue(vgic, virq);
	virq->level = level;
	virq_go_slowly(virq);
	vgic_requeue(vgic, virq);
}

/* --- configuration --- */

/*
 * Apply a change of the enable bit. The interrupt has been dequeued. `before`: whether the
 * interrupt was enabled before the change.
 */
static void follow_enable(struct vgic *vgic, struct virq *virq, bool before)
{
	bool now = virq->config.enabled;

	if (!now)
		virq_go_slowly(virq);
	if (virq->hw && before && !now)
		withhold(vgic, virq);
	vgic_queue(vgic, virq);
	if (virq->hw && now && !before)
		gic_enable(virq->intid);
}

/* Change the physical trigger while the interrupt is disabled. Return the `before` of
 * follow_enable(). */
static bool set_edge(struct vgic *vgic, struct virq *virq, bool edge, bool before)
{
	if (!virq->hw)
		return before;
	if (before)
		withhold(vgic, virq);
	gic_set_edge(virq->intid, edge);
	return false;
}

__cold void vgic_configure(struct vgic *vgic, struct virq *virq, struct virq_config config)
{
	bool before = virq->config.enabled;
	struct virq_config old;

	if (virq->config.priority != config.priority)
		vgic_set_priority(vgic, virq, config.priority);
	old = virq->config;
	if (memcmp(&old, &config, sizeof(config)) == 0)
		return;
	vgic->ppi_known = 0;
	vgic_dequeue(vgic, virq);
	if (old.edge != config.edge)
		before = set_edge(vgic, virq, config.edge, before);
	virq->config = config;
	if (old.group1 != config.group1)
		virq->lr_value = vgic_lr_pending(vgic, virq, 0, false);
	follow_enable(vgic, virq, before);
	vgic_refill(vgic);
}

void vgic_set_priority(struct vgic *vgic, struct virq *virq, uint8_t priority)
{
	bool pending = virq_waits(virq) || vgic_lr_has(vgic, virq, GIC_LR_PENDING);

	if (pending)
		vgic_dequeue(vgic, virq);
	virq->config.priority = priority & VIRQ_PRIORITY_MASK;
	virq->lr_value = gic_lr_with_priority(virq->lr_value, priority);
	if (virq->hw) {
		vgic->ppi_known = 0;
		gic_set_priority(virq->intid, virq->config.priority);
	}
	if (pending)
		vgic_requeue(vgic, virq);
}

/* --- active --- */

__cold void vgic_set_active(struct vgic *vgic, struct virq *virq)
{
	vgic_dequeue(vgic, virq);
	if (!vgic_is_active(vgic, virq)) {
		vgic->ppi_known = 0;
		if (virq->hw && virq->pending_latch)
			give_back(vgic, virq);
		else if (virq->hw)
			gic_set_active(virq->intid);
		vgic_spill(vgic, virq, VIRQ_PRIORITIES);
	}
	vgic_requeue(vgic, virq);
}

__cold void vgic_clear_active(struct vgic *vgic, struct virq *virq)
{
	if (virq->spilled)
		vgic_unspill(vgic, virq);
	else if (vgic_lr_has(vgic, virq, GIC_LR_ACTIVE))
		gic_lr_write(virq->last_lr, 0);
	else
		return;
	vgic_finish(vgic, virq);
}

__cold void vgic_deactivate(struct vgic *vgic, unsigned intid)
{
	if (intid >= VIRQ_COUNT || !gic_virt_split_eoi())
		return;
	vgic_begin(vgic);
	vgic_clear_active(vgic, &vgic->virq[intid]);
	vgic_end(vgic);
}

/*
 * An interrupt with a retarget pending counts as work, so the end of other interrupts has no check
 * for it.
 */
void vgic_set_retarget(struct vgic *vgic, struct virq *virq, bool retarget)
{
	if (virq->retarget == retarget)
		return;
	virq->retarget = retarget;
	vgic->retarget_count += retarget ? 1 : ~0u;
	vgic->work = true;
	if (!retarget) {
		vgic_dequeue(vgic, virq);
		vgic_requeue(vgic, virq);
	} else if (vgic_lr_has(vgic, virq, GIC_LR_ACTIVE)) {
		gic_lr_write(virq->last_lr, gic_lr_with_eoi_irq(gic_lr_read(virq->last_lr)));
	}
}

/* --- states that the guest reads --- */

bool vgic_is_pending(const struct vgic *vgic, const struct virq *virq)
{
	return virq_waits(virq) || (virq->hw && gic_is_pending(virq->intid)) ||
	       vgic_lr_has(vgic, virq, GIC_LR_PENDING);
}

unsigned vgic_pending_sources(const struct vgic *vgic, const struct virq *virq)
{
	if (!vgic_lr_has(vgic, virq, GIC_LR_PENDING))
		return virq->sources;
	return virq->sources | BIT(gic_lr_source(gic_lr_read(virq->last_lr)));
}

bool vgic_is_active(const struct vgic *vgic, const struct virq *virq)
{
	return virq->spilled || vgic_lr_has(vgic, virq, GIC_LR_ACTIVE);
}

static uint32_t state_in_lrs(const struct vgic *vgic, enum gic_lr_state state, unsigned word)
{
	uint32_t value = 0;

	/* bound: LIST_REGISTERS */
	for (unsigned i = 0; i < vgic->lr_count; i++) {
		const struct virq *virq = vgic->lr_owner[i];

		if (virq && virq->intid / 32 == word && gic_lr_state(gic_lr_read(i)) == state)
			value |= BIT(virq->intid % 32);
	}
	return value;
}

static uint32_t pending_in_memory(const struct virq *virq, uint32_t which)
{
	uint32_t value = 0;

	/* bound: 32; total: 64: an access has 64 bits */
	for (; which; which &= which - 1) {
		const struct virq *irq = &virq[bit_lowest(which)];

		if (irq->sources | irq->pending_latch | (irq->level & !irq->config.edge))
			value |= which & -which;
	}
	return value;
}

static uint32_t active_in_memory(const struct virq *virq, uint32_t which)
{
	uint32_t value = 0;

	/* bound: 32; total: 64: an access has 64 bits */
	for (; which; which &= which - 1)
		if (virq[bit_lowest(which)].spilled)
			value |= which & -which;
	return value;
}

/* Few physical interrupts are pending at a time, so ask the GIC for each. */
static uint32_t pending_physically(const struct virq *virq, uint32_t pending)
{
	uint32_t value = 0;

	/* bound: 32; total: 64: likewise */
	for (; pending; pending &= pending - 1)
		if (virq[bit_lowest(pending)].hw)
			value |= pending & -pending;
	return value;
}

uint32_t vgic_pending_of(const struct vgic *vgic, unsigned word, uint32_t which)
{
	const struct virq *virq = &vgic->virq[word * 32];

	return (state_in_lrs(vgic, GIC_LR_PENDING, word) & which) | pending_in_memory(virq, which) |
	       pending_physically(virq, gic_pending_word(word) & which);
}

uint32_t vgic_active_of(const struct vgic *vgic, unsigned word, uint32_t which)
{
	uint32_t value = state_in_lrs(vgic, GIC_LR_ACTIVE, word) & which;

	return vgic->spilled_count ? value | active_in_memory(&vgic->virq[word * 32], which)
				   : value;
}
