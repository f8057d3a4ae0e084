/* SPDX-License-Identifier: Apache-2.0 */
/* What other cores want of a vCPU's virtual GIC: bits, and a kick of the vCPU's core. Whoever posts
 * does not wait. */
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vcpu.h"

/* Detail first, this last. A core that has not looked since it was told needs no second kick. */
void vgic_post_what(struct vcpu *to, uint32_t what)
{
	uint32_t before = __atomic_fetch_or(&to->vgic.posted.what, what, __ATOMIC_SEQ_CST);

	if ((before & what) != what)
		smp_kick(to->core);
}

#define BOTH(bits) ((bits) | (uint64_t)(bits) << 32)

uint64_t vgic_posted_take(uint64_t *pair, uint32_t bits)
{
	return __atomic_fetch_and(pair, ~BOTH(bits), __ATOMIC_RELAXED) & BOTH(bits);
}

/* Whoever reads sees it so from now on. */
static void post_pair(uint64_t *pair, uint32_t *published, uint32_t set, uint32_t clear)
{
	uint64_t before = __atomic_load_n(pair, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(
		pair, &before, (before & ~BOTH(set | clear)) | set | (uint64_t)clear << 32, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	__atomic_fetch_or(published, set, __ATOMIC_RELAXED);
	__atomic_fetch_and(published, ~clear, __ATOMIC_RELAXED);
}

void vgic_post_bits(struct vcpu *to, enum vgic_post post, unsigned word, uint32_t bits)
{
	struct vgic_posted *posted = &to->vgic.posted;
	bool sets = post == VGIC_PEND || post == VGIC_ACTIVATE;
	bool active = post == VGIC_ACTIVATE || post == VGIC_DEACTIVATE;

	if (post == VGIC_RELOAD)
		__atomic_fetch_or(&posted->reload[word], bits, __ATOMIC_RELAXED);
	else
		post_pair(active ? &posted->active[word] : &posted->pending[word],
			  &to->vgic.published[active][word], sets ? bits : 0, sets ? 0 : bits);
	vgic_post_what(to, VGIC_POST_WORD(word));
}

void vgic_post(struct vcpu *to, unsigned intid)
{
	vgic_post_bits(to, VGIC_PEND, intid / 32, BIT(intid % 32));
}

void vgic_post_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	if (gic_version() > 2) {
		vgic_post(to, id);
		return;
	}
	__atomic_fetch_or(&to->vgic.posted.sources[id / 4], BIT(id % 4 * 8 + source),
			  __ATOMIC_RELAXED);
	vgic_post_what(to, VGIC_POST_WORD(0));
}
