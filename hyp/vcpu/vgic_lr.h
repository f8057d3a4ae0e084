/* SPDX-License-Identifier: Apache-2.0 */
/* Between the virtual GIC's interrupt states (vgic.c) and its list registers (vgic_lr.c); not for
 * users of hyp/vcpu/vgic.h. */
#pragma once

#include "hyp/vcpu/vgic.h"

/* The list register that makes `virq` pending from `source`, ready to write. */
uint64_t vgic_lr_pending(const struct virq *virq, bool link_hw, unsigned source);

/* The list register that holds `virq` now, pending or active; VIRQ_LR_NONE when none does. */
unsigned vgic_live_lr(const struct vgic *vgic, const struct virq *virq);

/* Pending and in no list register: waiting there or behind its own end. */
static inline bool virq_waits(const struct virq *virq)
{
	return virq->sources || virq->pending || virq->latched_here || (virq->line && !virq->edge);
}

static inline bool virq_deliverable(const struct vgic *vgic, const struct virq *virq)
{
	return virq->enabled && (vgic->groups_enabled >> virq->group1 & 1);
}

/* Where it is queued. */
#define VIRQ_LEVEL(virq) ((unsigned)(virq)->priority >> 3)

static inline bool vgic_anything_queued(const struct vgic *vgic)
{
	return vgic->backlog != vgic->parked_count + vgic->leaving_count;
}

/* Takes back what of `virq` is pending: it is in no queue, and in no list register but for an
 * active part. */
void vgic_take(struct vgic *vgic, struct virq *virq);

/* Puts what vgic_take() took, as it is by now, where it belongs. */
void vgic_give(struct vgic *vgic, struct virq *virq);
void vgic_give_later(struct vgic *vgic, struct virq *virq); /* vgic_refill() is still to come */

/* In the queue, when it is enabled and is not active there; it is in no list register. */
void vgic_queue(struct vgic *vgic, const struct virq *virq);

/* The queue's most urgent interrupts into the list registers, as far as they reach; in a batch at
 * its end. */
void vgic_refill(struct vgic *vgic);

/* The same; is anything pending in a list register by then, or still waits for one? */
bool vgic_anything_behind(struct vgic *vgic);

/* Active in no list register, from now on and no longer. */
void vgic_park(struct vgic *vgic, struct virq *virq);
void vgic_unpark(struct vgic *vgic, struct virq *virq);

/* An interrupt that leaves has ended. */
void vgic_post_left(struct vgic *vgic, const struct virq *virq);

/* An interrupt has ended: it is in no list register, and not parked. vgic_refill() is still to
 * come. */
void vgic_finish(struct vgic *vgic, struct virq *virq);
