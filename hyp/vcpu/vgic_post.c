/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Posts to a vCPU's virtual GIC: atomic bits and a kick of its core. The posting core never waits.
 */
#include "hyp/cpu/smp.h"
#include "hyp/vcpu/vcpu.h"
#include "hyp/vcpu/vgic.h"

#define BOTH(bits) ((bits) | (uint64_t)(bits) << 32)

/* The detail is written before `kinds`. A core that has not processed `kinds` needs no second kick.
 * A post to a vCPU that is off waits until its core has no vCPU loaded: no VM can make another core
 * put and load another VM's vCPU. */
void vgic_post_kinds(struct vcpu *to, uint32_t kinds)
{
	uint32_t before = __atomic_fetch_or(&to->vgic.posted.kinds, kinds, __ATOMIC_SEQ_CST);

	if ((before & kinds) != kinds)
		smp_kick(to->core);
}

uint64_t vgic_fetch_posted(uint64_t *pair, uint32_t bits)
{
	return __atomic_fetch_and(pair, ~BOTH(bits), __ATOMIC_RELAXED) & BOTH(bits);
}

/* Move `bits` to a half of a pair. */
static void post_pair(uint64_t *pair, bool on, uint32_t bits)
{
	uint64_t before = 0; /* the usual value; otherwise the first exchange returns the value */
	uint64_t half = on ? bits : (uint64_t)bits << 32;

	/* wait: exchange */
	while (!__atomic_compare_exchange_n(pair, &before, (before & ~BOTH(bits)) | half, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Other vCPUs read the change at once. */
void vgic_post_state(struct vcpu *to, bool active, bool on, unsigned word, uint32_t bits)
{
	uint32_t *published = &to->vgic.published[active][word];

	post_pair(&to->vgic.posted.pair[active][word], on, bits);
	if (on)
		__atomic_fetch_or(published, bits, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(published, ~bits, __ATOMIC_RELAXED);
	vgic_post_kinds(to, VGIC_POST_WORD(word));
}

void vgic_post_reloads(struct vcpu *to, unsigned word, uint32_t bits)
{
	__atomic_fetch_or(&to->vgic.posted.reload[word], bits, __ATOMIC_RELAXED);
	vgic_post_kinds(to, VGIC_POST_WORD(word));
}

void vgic_post_reload(struct vcpu *to, unsigned intid)
{
	vgic_post_reloads(to, intid / 32, BIT(intid % 32));
}

void vgic_post_sources(struct vcpu *to, bool on, unsigned word, uint32_t sources)
{
	post_pair(&to->vgic.posted.sources[word], on, sources);
	vgic_post_kinds(to, VGIC_POST_WORD(0));
}

void vgic_post_sgi(struct vcpu *to, unsigned id, unsigned source)
{
	if (gic_version() > 2) {
		vgic_post_state(to, false, true, 0, BIT(id));
		return;
	}
	vgic_post_sources(to, true, id / 4, BIT(id % 4 * 8 + source));
}
