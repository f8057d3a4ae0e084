/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of another vCPU: posts, which the vCPU's core processes, and SPIs that move from one
 * vCPU to another. */
#include "hyp/cpu/smp.h"
#include "hyp/vm/vgicd.h"
#include "lib/compiler.h"

uint32_t vgicd_state(const struct vgic *vgic, bool active, unsigned word, uint32_t which)
{
	uint32_t value = 0;

	/* bound: 32 */
	for (; which; which &= which - 1) {
		const struct virq *virq = &vgic->virq[word * 32 + bit_lowest(which)];

		if (active ? vgic_is_active(vgic, virq) : vgic_is_pending(vgic, virq))
			value |= which & -which;
	}
	return value;
}

/* --- posts of pending and active states --- */

void vgicd_set_state(struct vgic *vgic, struct virq *virq, bool active, bool on)
{
	if (!active && on)
		vgic_set_pending(vgic, virq, 0);
	else if (!active)
		vgic_clear_pending(vgic, virq, ~0u);
	else if (on)
		vgic_set_active(vgic, virq);
	else
		vgic_clear_active(vgic, virq);
}

/* Post SPIs whose holder is another vCPU by now to that vCPU. Returns whether there were any. */
static bool process_states(struct vcpu *vcpu, bool active, unsigned word, uint32_t which)
{
	uint64_t pair = vgic_fetch_posted(&vcpu->vgic.posted.pair[active][word], which);
	uint32_t set = (uint32_t)pair, clear = (uint32_t)(pair >> 32);

	/* bound: 32; total: 256: all of a word, twice; and of each reload one, twice */
	for (uint32_t bits = set | clear; bits; bits &= bits - 1) {
		unsigned intid = word * 32 + bit_lowest(bits);
		bool on = bit_test(&set, intid % 32);
		struct vcpu *holder = vgicd_holder(vcpu, intid);

		if (holder == vcpu)
			vgicd_set_state(&vcpu->vgic, &vcpu->vgic.virq[intid], active, on);
		else
			vgic_post_state(holder, active, on, word, bits & -bits);
	}
	return pair;
}

/* --- the virtual GIC follows the distributor --- */

/* A disabled interrupt is in no list register; a physical one is pending at the physical GIC. The
 * next holder gets the rest: its core does not use that slot before it is the holder. */
static void hand_over(struct vcpu *vcpu, struct virq *virq, struct vcpu *to)
{
	struct vgic *vgic = &vcpu->vgic;
	struct virq_config disabled = virq->config;
	unsigned intid = virq->intid;

	disabled.enabled = false;
	vgic_configure(vgic, virq, disabled);
	vgic_set_retarget(vgic, virq, false);
	vgic->route[intid] = NULL;
	to->vgic.virq[intid] = *virq;
	if (vgic_is_pending(vgic, virq))
		__atomic_fetch_or(&to->vgic.published[0][intid / 32], BIT(intid % 32),
				  __ATOMIC_RELAXED);
	*virq = (struct virq){ .intid = virq->intid, .fast_lr = VIRQ_LR_NONE };
	__atomic_store_n(&vcpu->dist->holder[intid], (uint8_t)to->index, __ATOMIC_RELEASE);
	vgic_post_reload(to, intid);
}

/* An inactive SPI whose holder is this vCPU moves to its target. Returns whether it has moved. */
static bool follow_target(struct vcpu *vcpu, struct virq *virq, unsigned target)
{
	struct vgic *vgic = &vcpu->vgic;
	bool leaves = target != vcpu->index && target != VGICD_NO_TARGET;

	if (leaves) {
		process_states(vcpu, false, virq->intid / 32, BIT(virq->intid % 32));
		process_states(vcpu, true, virq->intid / 32, BIT(virq->intid % 32));
		vgic_refill(vgic);
		if (!vgic_is_active(vgic, virq)) {
			hand_over(vcpu, virq, vcpu->dist->vcpu[target]);
			return true;
		}
	}
	vgic_set_retarget(vgic, virq, leaves);
	if (virq->hw && !vgic->route[virq->intid]) {
		gic_route_spi_here(virq->intid);
		vgic_forward(vgic, virq->intid);
	}
	return false;
}

void vgicd_reload(struct vcpu *vcpu, unsigned intid)
{
	const struct vgicd *dist = vcpu->dist;
	struct virq *virq = &vcpu->vgic.virq[intid];
	unsigned word = intid / 32, bit = intid % 32;
	struct virq_config config = {
		.enabled = *vgicd_bits(vcpu, VGICD_ENABLED, word) >> bit & 1,
		.edge = bit_test(dist->edges, 2 * intid + 1),
		.group1 = *vgicd_bits(vcpu, VGICD_GROUP1, word) >> bit & 1,
		.priority = *vgicd_priority(vcpu, intid) & VIRQ_PRIORITY_MASK,
	};

	if (word) {
		if (follow_target(vcpu, virq, dist->target[intid]))
			return;
		config.enabled &= dist->target[intid] != VGICD_NO_TARGET;
		if (!virq->hw)
			vgic_set_level(&vcpu->vgic, virq,
				       !config.edge && bit_test(dist->lines, intid));
	}
	vgic_configure(&vcpu->vgic, virq, config);
}

void vgicd_changed(struct vcpu *vcpu, struct vcpu *owner, unsigned intid)
{
	struct vcpu *holder = vgicd_holder(owner, intid);

	if (holder == vcpu)
		vgicd_reload(vcpu, intid);
	else
		vgic_post_reload(holder, intid);
}

/* --- all posts --- */

static void process_sgis(struct vgic *vgic)
{
	/* bound: 4 */
	for (unsigned i = 0; i < ARRAY_SIZE(vgic->posted.sources); i++) {
		uint32_t sources =
			__atomic_exchange_n(&vgic->posted.sources[i], 0, __ATOMIC_RELAXED);

		/* bound: 4 */
		for (unsigned id = i * 4; sources; id++, sources >>= 8)
			if (sources & 0xff)
				vgic_set_pending_from(vgic, &vgic->virq[id], sources & 0xff);
	}
}

/* Half a register's worth at a time: each may move to another vCPU. */
static void process_reloads(struct vcpu *vcpu, unsigned word)
{
	uint32_t *reload = &vcpu->vgic.posted.reload[word];
	uint32_t half = *reload & 0xffff ? 0xffff : 0xffff0000;
	uint32_t bits = __atomic_fetch_and(reload, ~half, __ATOMIC_RELAXED) & half;

	/* bound: 16 */
	for (; bits; bits &= bits - 1)
		vgicd_changed(vcpu, vcpu, word * 32 + bit_lowest(bits));
}

/* At most one kind in an exit. */
void vgicd_process_word(struct vcpu *vcpu, unsigned word)
{
	struct vgic_posted *posted = &vcpu->vgic.posted;

	vgic_begin(&vcpu->vgic);
	if (word == 0)
		process_sgis(&vcpu->vgic);
	if (!process_states(vcpu, false, word, VGICD_ALL_LANES) &&
	    !process_states(vcpu, true, word, VGICD_ALL_LANES))
		process_reloads(vcpu, word);
	if (posted->pair[1][word] || posted->reload[word])
		vgic_post_what(vcpu, VGIC_POST_WORD(word));
	vgic_end(&vcpu->vgic);
}

static void publish(struct vgic *vgic, unsigned word)
{
	vgic_refill(vgic);
	/* bound: 2 */
	for (unsigned active = 0; active < 2; active++)
		__atomic_store_n(&vgic->published[active][word],
				 vgicd_state(vgic, active, word, VGICD_ALL_LANES),
				 __ATOMIC_RELAXED);
}

__cold void vgicd_process_posts(struct vcpu *vcpu)
{
	uint32_t *what = &vcpu->vgic.posted.what;
	uint32_t all = __atomic_load_n(what, __ATOMIC_RELAXED);
	uint32_t first = all & -all;

	if (!all)
		return;
	__atomic_fetch_and(what, ~first, __ATOMIC_ACQUIRE);
	if (first & VGIC_POST_GROUPS)
		vgic_set_groups_enabled(&vcpu->vgic, vcpu->dist->groups);
	else if (first >= VGIC_POST_PUBLISH(0))
		publish(&vcpu->vgic, bit_lowest(first) - VIRQ_WORDS);
	else
		vgicd_process_word(vcpu, bit_lowest(first));
	if (__atomic_load_n(what, __ATOMIC_RELAXED))
		smp_kick(vcpu->core);
}

/* --- lines and physical interrupts --- */

void vgicd_set_level(struct vgicd *dist, unsigned intid, bool level)
{
	uint32_t *lines = &dist->lines[intid / 32], bit = BIT(intid % 32);
	uint32_t before = level ? __atomic_fetch_or(lines, bit, __ATOMIC_RELAXED)
				: __atomic_fetch_and(lines, ~bit, __ATOMIC_RELAXED);
	struct vcpu *holder = vgicd_holder(dist->vcpu[0], intid);

	if (!(before & bit) == !level)
		return;
	if (level && bit_test(dist->edges, 2 * intid + 1))
		vgic_post_state(holder, false, true, intid / 32, bit);
	vgic_post_reload(holder, intid);
}

bool vgicd_send_on(struct vcpu *vcpu, uint32_t iar)
{
	unsigned intid = gic_intid(iar);

	if (intid < GIC_PRIVATE_COUNT || intid >= VIRQ_COUNT ||
	    !vgicd_holder(vcpu, intid)->vgic.virq[intid].hw)
		return false;
	gic_set_pending(intid);
	gic_deactivate(iar);
	return true;
}
