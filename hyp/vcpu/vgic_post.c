/* SPDX-License-Identifier: Apache-2.0 */
/* Posts to a vCPU's virtual GIC: atomic bits and a kick of its core. The poster never waits. */
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vcpu.h"
#include "hyp/vcpu/vgic.h"

#define BOTH(bits) ((bits) | (uint64_t)(bits) << 32)

/* The detail is there before `what`. A core that has not processed `what` needs no second kick. A
 * post to a vCPU that is off waits until its core has no vCPU loaded: no VM makes another core put
 * and load another VM's vCPU. */
void vgic_post_what(struct vcpu *to, uint32_t what)
{
	uint32_t before = __atomic_fetch_or(&to->vgic.posted.what, what, __ATOMIC_SEQ_CST);

	if ((before & what) != what)
		smp_kick(to->core);
}

uint64_t vgic_fetch_posted(uint64_t *pair, uint32_t bits)
{
	return __atomic_fetch_and(pair, ~BOTH(bits), __ATOMIC_RELAXED) & BOTH(bits);
}

/* Reads of other vCPUs see the change at once. */
void vgic_post_state(struct vcpu *to, bool active, bool on, unsigned word, uint32_t bits)
{
	uint64_t *pair = &to->vgic.posted.pair[active][word];
	uint32_t *published = &to->vgic.published[active][word];
	uint64_t before = 0; /* as mostly; otherwise the first exchange says what */
	uint64_t half = on ? bits : (uint64_t)bits << 32;

	/* wait: exchange */
	while (!__atomic_compare_exchange_n(pair, &before, (before & ~BOTH(bits)) | half, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (on)
		__atomic_fetch_or(published, bits, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(published, ~bits, __ATOMIC_RELAXED);
	vgic_post_what(to, VGIC_POST_WORD(word));
}

void vgic_post_reload(struct vcpu *to, unsigned intid)
{
	__atomic_fetch_or(&to->vgic.posted.reload[intid / 32], BIT(intid % 32), __ATOMIC_RELAXED);
	vgic_post_what(to, VGIC_POST_WORD(intid / 32));
}

void vgic_post_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	if (gic_version() > 2) {
		vgic_post_state(to, false, true, 0, BIT(id));
		return;
	}
	__atomic_fetch_or(&to->vgic.posted.sources[id / 4], BIT(id % 4 * 8 + source),
			  __ATOMIC_RELAXED);
	vgic_post_what(to, VGIC_POST_WORD(0));
}
