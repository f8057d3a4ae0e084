/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of another vCPU: posts, which that vCPU's core processes, and SPIs that move from one
 * vCPU to another. */
#include "hyp/cpu/smp.h"
#include "hyp/vm/vgicd.h"
#include "lib/compiler.h"

/* Return the states `value` of some interrupts of a word, as they are after the posts. */
static uint32_t with_posts(const struct vcpu *vcpu, bool active, unsigned word, uint32_t value)
{
	uint64_t pair = __atomic_load_n(&vcpu->vgic.posted.pair[active][word], __ATOMIC_RELAXED);

	return (value & ~(uint32_t)(pair >> 32)) | (uint32_t)pair;
}

uint32_t vgicd_state(const struct vcpu *vcpu, bool active, unsigned word, uint32_t which)
{
	uint32_t value = active ? vgic_active_of(&vcpu->vgic, word, which)
				: vgic_pending_of(&vcpu->vgic, word, which);

	return with_posts(vcpu, active, word, value) & which;
}

/* --- posts of pending and active states --- */

void vgicd_set_state(struct vgic *vgic, struct virq *virq, bool active, bool on)
{
	if (!active && on)
		vgic_set_pending_from(vgic, virq, BIT(0));
	else if (!active)
		vgic_clear_pending(vgic, virq, ~0u);
	else if (on)
		vgic_set_active(vgic, virq);
	else
		vgic_clear_active(vgic, virq);
}

typedef uint32_t __attribute__((may_alias)) half_t;

/* Return the interrupts of a pair, read by its halves: for a pair GCC 14 emits an LDRD on ARMv7
 * whose index register it overwrites, which is UNPREDICTABLE (DDI 0406C A8.8.74). */
static uint32_t posted_bits(const uint64_t *pair)
{
	const half_t *half = (const half_t *)pair;

	return __atomic_load_n(&half[0], __ATOMIC_RELAXED) |
	       __atomic_load_n(&half[1], __ATOMIC_RELAXED);
}

/* Only the PPI's own core can clear the pending state of a PPI at the physical GIC. The pending
 * state of an SPI is cleared before the post. */
static void set_own_state(struct vgic *vgic, unsigned intid, bool active, bool on)
{
	struct virq *virq = &vgic->virq[intid];

	if (!active && !on && virq->hw && intid < GIC_PRIVATE_COUNT)
		gic_clear_pending(intid);
	vgicd_set_state(vgic, virq, active, on);
}

/* Process a posted state of one interrupt. If the SPI has moved since, the post goes to its
 * holder. */
static void process_state(struct vcpu *vcpu, bool active, unsigned intid, bool on)
{
	struct vcpu *holder = vgicd_holder(vcpu, intid);

	if (holder == vcpu)
		set_own_state(&vcpu->vgic, intid, active, on);
	else
		vgic_post_state(holder, active, on, intid / 32, BIT(intid % 32));
}

/* Process the posted state of one interrupt, if there is one. */
static void process_state_of(struct vcpu *vcpu, bool active, unsigned intid)
{
	uint64_t *posted = &vcpu->vgic.posted.pair[active][intid / 32];
	uint32_t bit = BIT(intid % 32);

	if (posted_bits(posted) & bit)
		process_state(vcpu, active, intid, (uint32_t)vgic_fetch_posted(posted, bit));
}

/* --- the virtual GIC follows the distributor --- */

/* Hand a disabled interrupt over, which is in no list register; a physical one is pending at the
 * physical GIC. The next holder gets the other states: its core does not use that slot before it is
 * the holder. */
static void hand_over(struct vcpu *vcpu, struct virq *virq, struct vcpu *to)
{
	struct vgic *vgic = &vcpu->vgic;
	struct vgicd *dist = vcpu->dist;
	struct virq_config disabled = virq->config;
	unsigned intid = virq->intid;

	disabled.enabled = false;
	vgic_configure(vgic, virq, disabled);
	vgic_set_retarget(vgic, virq, false);
	bit_clear(vgic->routed, intid);
	to->vgic.virq[intid] = *virq;
	if (vgic_is_pending(vgic, virq))
		__atomic_fetch_or(&to->vgic.published[0][intid / 32], BIT(intid % 32),
				  __ATOMIC_RELAXED);
	*virq = (struct virq){ .intid = virq->intid };
	virq_go_slowly(virq);
	__atomic_fetch_or(&dist->held[to->index][intid / 32], BIT(intid % 32), __ATOMIC_RELAXED);
	__atomic_store_n(&dist->holder[intid], (uint8_t)to->index, __ATOMIC_RELEASE);
	__atomic_fetch_and(&dist->held[vcpu->index][intid / 32], ~BIT(intid % 32),
			   __ATOMIC_RELAXED);
	vgic_post_reload(to, intid);
}

/* Move an inactive SPI whose holder is this vCPU to its target. Return whether it has moved. */
static bool follow_target(struct vcpu *vcpu, struct virq *virq, unsigned target)
{
	struct vgic *vgic = &vcpu->vgic;
	bool leaves = target != vcpu->index && target != VGICD_NO_TARGET;

	if (leaves) {
		process_state_of(vcpu, false, virq->intid);
		process_state_of(vcpu, true, virq->intid);
		if (!vgic_is_active(vgic, virq)) {
			hand_over(vcpu, virq, vcpu->dist->vcpu[target]);
			return true;
		}
	}
	vgic_set_retarget(vgic, virq, leaves);
	if (virq->hw && !vgic_routes(vgic, virq->intid)) {
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
	uint32_t groups = __atomic_load_n(&dist->groups, __ATOMIC_SEQ_CST);
	bool group1 = *vgicd_bits(vcpu, VGICD_GROUP1, word) >> bit & 1;
	struct virq_config config = {
		.enabled = *vgicd_bits(vcpu, VGICD_ENABLED, word) >> bit & groups >> group1 & 1,
		.edge = bit_test(dist->edges, 2 * intid + 1),
		.group1 = group1,
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

void vgicd_set_sources(struct vgic *vgic, unsigned word, uint32_t set, uint32_t clear)
{
	vgic_begin(vgic);
	/* bound: 4 */
	for (unsigned id = word * 4; set | clear; id++, set >>= 8, clear >>= 8) {
		if (clear & 0xff)
			/* most: PIECE_VIRQS */
			vgic_clear_pending(vgic, &vgic->virq[id], clear & 0xff);
		if (set & 0xff)
			/* most: PIECE_VIRQS */
			vgic_set_pending_from(vgic, &vgic->virq[id], set & 0xff);
	}
	vgic_end(vgic);
}

uint32_t vgicd_first_sources(uint32_t sources, unsigned count)
{
	uint32_t first = 0;

	/* bound: 4 */
	for (uint32_t lane = 0xff; lane && count; lane <<= 8)
		if (sources & lane) {
			first |= sources & lane;
			count--;
		}
	return first;
}

/* Process posted sources of at most PIECE_VIRQS SGIs. Return whether there were any. */
static bool process_sgis(struct vgic *vgic)
{
	/* bound: 4 */
	for (unsigned word = 0; word < ARRAY_SIZE(vgic->posted.sources); word++) {
		uint64_t *posted = &vgic->posted.sources[word];
		uint64_t pair = __atomic_load_n(posted, __ATOMIC_RELAXED);

		if (!pair)
			continue;
		pair = vgic_fetch_posted(
			posted,
			vgicd_first_sources((uint32_t)pair | (uint32_t)(pair >> 32), PIECE_VIRQS));
		vgicd_set_sources(vgic, word, (uint32_t)pair, (uint32_t)(pair >> 32));
		return true;
	}
	return false;
}

static bool is_posted(const struct vgic_posted *posted, unsigned word)
{
	return posted->pair[0][word] | posted->pair[1][word] | posted->reload[word];
}

static bool are_sources_posted(const struct vgic_posted *posted)
{
	return posted->sources[0] | posted->sources[1] | posted->sources[2] | posted->sources[3];
}

/* Process the posted state of one interrupt. Return whether there was one. */
static bool process_one_state(struct vcpu *vcpu, unsigned word)
{
	const struct vgic_posted *posted = &vcpu->vgic.posted;
	uint32_t pending = posted_bits(&posted->pair[0][word]);
	uint32_t bits = pending ? pending : posted_bits(&posted->pair[1][word]);

	if (bits)
		process_state_of(vcpu, !pending, word * 32 + bit_lowest(bits));
	return bits;
}

/* Process one posted reload. Return whether there was one. */
static bool process_one_reload(struct vcpu *vcpu, unsigned word)
{
	uint32_t *reload = &vcpu->vgic.posted.reload[word];
	uint32_t bits = __atomic_load_n(reload, __ATOMIC_RELAXED);

	if (!bits)
		return false;
	__atomic_fetch_and(reload, ~(bits & -bits), __ATOMIC_ACQUIRE);
	vgicd_changed(vcpu, vcpu, word * 32 + bit_lowest(bits));
	return true;
}

/* Process posts of a word: the states of at most two interrupts or, without states, one reload,
 * which takes as long as several states. Return whether the visit is full. */
static bool process_piece(struct vcpu *vcpu, unsigned word)
{
	vgic_begin(&vcpu->vgic);
	if (process_one_state(vcpu, word) ? process_one_state(vcpu, word)
					  : process_one_reload(vcpu, word)) {
		vgic_end_later(&vcpu->vgic);
		return true;
	}
	vgic_end(&vcpu->vgic);
	return false;
}

/* After a full visit a later visit fills the list registers. */
bool vgicd_process_word(struct vcpu *vcpu, unsigned word)
{
	struct vgic_posted *posted = &vcpu->vgic.posted;

	if ((word || !process_sgis(&vcpu->vgic)) && process_piece(vcpu, word))
		return true;
	return is_posted(posted, word) || (!word && are_sources_posted(posted));
}

static void publish_state(struct vcpu *vcpu, bool active, unsigned word, uint32_t value)
{
	__atomic_store_n(&vcpu->vgic.published[active][word], with_posts(vcpu, active, word, value),
			 __ATOMIC_RELAXED);
}

static void publish(struct vcpu *vcpu, unsigned word)
{
	const struct vgic *vgic = &vcpu->vgic;

	publish_state(vcpu, false, word, vgic_pending_of(vgic, word, VGICD_ALL_LANES));
	publish_state(vcpu, true, word, vgic_active_of(vgic, word, VGICD_ALL_LANES));
	vgic_settle(&vcpu->vgic);
}

__cold void vgicd_process_posts(struct vcpu *vcpu)
{
	uint32_t *kinds = &vcpu->vgic.posted.kinds;
	uint32_t all = __atomic_load_n(kinds, __ATOMIC_RELAXED);
	uint32_t first = all & -all;

	if (!all)
		return;
	__atomic_fetch_and(kinds, ~first, __ATOMIC_ACQUIRE);
	if (first >= VGIC_POST_GROUPS(1u))
		vgicd_post_groups(vcpu, first / VGIC_POST_GROUPS(1u));
	else if (first >= VGIC_POST_PUBLISH(0))
		publish(vcpu, bit_lowest(first) - VIRQ_WORDS);
	else if (vgicd_process_word(vcpu, bit_lowest(first)))
		__atomic_fetch_or(kinds, first, __ATOMIC_RELAXED);
	if (!__atomic_load_n(kinds, __ATOMIC_RELAXED))
		return;
	vcpu->vgic.work = 1;
	smp_continue();
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
