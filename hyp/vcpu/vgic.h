/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual GIC of one vCPU: which virtual interrupts are pending, and which of them stand in a
 * list register. The distributor that a guest programs is vgicd.c; this file is the part between
 * it and the list registers.
 *
 * Rules it keeps:
 *  - a virtual interrupt stands in at most one list register;
 *  - with more pending than list registers, the highest priorities stand in them, those of groups
 *    that the guest's CPU interface has off last; a maintenance interrupt asks for the rest;
 *  - something pending that may be signalled is always in a list register: with all of them active,
 *    the one that ends last is *parked*, active in memory, and its end found by EOIcount or a trap;
 *  - no event of the maintenance interrupt is asked for that is so already;
 *  - an interrupt that is linked to a physical one is deactivated physically exactly once: by the
 *    guest's own EOI (lr=hw) or by the hypervisor on the EOI maintenance interrupt (lr=sw, and a
 *    linked one that gave its link up because something waits for its end).
 */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_virt.h"
#include "lib/bits.h"

#define VIRQ_COUNT 128u /* INTIDs 0 to 127: 16 SGIs, 16 PPIs, 96 SPIs */
#define VIRQ_WORDS (VIRQ_COUNT / 32)
#define VIRQ_LR_NONE 0xffu
#define VIRQ_GROUPS 2u
#define VIRQ_PRIORITIES 32u /* that a list register can tell apart */

struct vcpu;

struct virq {
	uint64_t lr_value; /* the list register that makes it pending, ready to write */
	/* A list register that is its own whenever it is empty, or VIRQ_LR_NONE. Only set while the
	 * interrupt may be delivered: it and its group are enabled. */
	uint8_t fast_lr;
	uint8_t last_lr; /* it has been in, while that register's owner is this one still */
	uint8_t intid;
	uint8_t priority;
	uint8_t sources; /* SGI: bit s = pending from core s, and not in a list register */
	bool physical;   /* forwarded: a physical interrupt of the same INTID stands behind it */
	bool enabled;
	bool edge;   /* GICD_ICFGR */
	bool group1; /* GICD_IGROUPR */

	bool pending;      /* physical: acknowledged, not active, and not in a list register */
	bool latched_here; /* others: by software or an edge, likewise not in a list register */
	bool latched;      /* physical: by the guest's software, at the physical GIC */
	bool lr_latched;   /* what was acknowledged there or is in the list register was latched */
	bool line;         /* of an emulated device: high */

	bool parked;  /* active, and in no list register */
	bool leaving; /* vgic_expect_end() */
};

/*
 * What others want of a vCPU: set by any core, which then kicks the vCPU's own (vgic_post_what());
 * taken by that core (vgicd_process_posts()). A pair's lower half is what to set, its upper half
 * what to clear; no interrupt is in both.
 */
struct vgic_posted {
	uint32_t what;                /* VGIC_POST_WORD() and so on; 0: nothing */
	uint64_t pair[2][VIRQ_WORDS]; /* pending, active */
	uint32_t reload[VIRQ_WORDS];
	uint32_t sources[GIC_SGI_COUNT / 4]; /* GICv2: a byte an SGI, a bit a source */
};

struct vgic {
	struct virq *route[VIRQ_COUNT]; /* by physical INTID: what it is for the guest, or NULL */
	uint32_t forwarded[VIRQ_WORDS]; /* bit set: route is not NULL */
	struct virq *lr_owner[GIC_LR_MAX]; /* whom the list register serves, or served last */
	unsigned lr_count;
	unsigned backlog; /* queued in groups that are enabled, and two of the next three */
	struct vgic_posted posted;
	unsigned parked_count;  /* virqs with parked set */
	unsigned leaving_count; /* vgic_expect_end() */
	bool batch;             /* vgic_begin() */
	bool link_hw;           /* lr=hw */
	uint8_t groups_enabled; /* GICD_CTLR as the guest wrote it: bit g = Group g is forwarded */
	uint32_t published[2][VIRQ_WORDS]; /* what other vCPUs read: pending, active */
	struct virq virq[VIRQ_COUNT];
	/* The priorities at which the guest acknowledged what is parked, as
	 * gic_virt_active_priorities() has them, and by priority which interrupt that is. */
	uint32_t spilled;
	uint8_t spilled_by[VIRQ_PRIORITIES];
	/* Pending and enabled, waiting for a list register or for their group: by group, priority
	 * and INTID; the priorities at which there are any; and how many. */
	uint32_t queued[VIRQ_GROUPS][VIRQ_PRIORITIES][VIRQ_WORDS];
	uint32_t queued_at[VIRQ_GROUPS];
	unsigned queued_count[VIRQ_GROUPS];
};

/* For a fresh guest: nothing enabled, pending or active; the list registers empty. */
void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw);

/* Forwards physical interrupt `intid` to the guest once the guest enables it. False where the guest
 * can have no such interrupt. */
bool vgic_forward(struct vgic *vgic, unsigned intid);

/* Which virtual GIC has the physical interrupt `intid` of this core, loaded or not; NULL: none. */
struct vgic *vgic_owner(unsigned intid);

/* A forwarded physical interrupt has been acknowledged; it is active until the guest ends it. */
void vgic_inject_physical(struct vgic *vgic, struct virq *virq);

/* Its two halves: the list register that takes virq->lr_value, which is all; or VIRQ_LR_NONE, and
 * what is to be done then. */
unsigned vgic_lr_at_once(const struct vgic *vgic, const struct virq *virq);
void vgic_inject_slowly(struct vgic *vgic, struct virq *virq);

/* The same while its vCPU does not run: `state` holds its virtual interface. */
void vgic_inject_absent(struct vgic *vgic, struct gic_virt_state *state, struct virq *virq);

/* Changes from begin to end are one: what stands in the list registers is decided at the end. */
void vgic_begin(struct vgic *vgic);
void vgic_end(struct vgic *vgic);

/* The vCPU is loaded, its virtual interface is back: gic_virt_restore(). List registers are touched
 * from now on, until gic_virt_save(). */
void vgic_load(struct vcpu *vcpu);

/* The guest pends an interrupt by software: GICD_ISPENDR, GICD_SGIR. `source`: SGIs, 0-7. */
void vgic_set_pending(struct vgic *vgic, struct virq *virq, unsigned source);
void vgic_set_pending_from(struct vgic *vgic, struct virq *virq, unsigned sources); /* a bit each */

/* GICD_ICPENDR, GICD_CPENDSGIR. `sources`: of an SGI, bit s = from core s; others ignore it.
 * Not what is pending at the physical GIC: gic_clear_pending() before. */
void vgic_clear_pending(struct vgic *vgic, struct virq *virq, unsigned sources);

/* The line of an emulated device, level-sensitive: pending while it is high, again after the
 * guest's end when it still is, gone when it falls before the acknowledge (ICFGR says edge: pending
 * once it rises). On the vCPU's own core. Not for forwarded interrupts, whose line is their own. */
void vgic_set_level(struct vgic *vgic, struct virq *virq, bool level);

/* The guest programs an interrupt. Of a priority the upper five bits count, as in a list register.
 * Active: ISACTIVER and ICACTIVER, which deactivates a physical interrupt behind it, too. */
void vgic_set_enabled(struct vgic *vgic, struct virq *virq, bool enabled);
void vgic_set_priority(struct vgic *vgic, struct virq *virq, uint8_t priority);
void vgic_set_edge(struct vgic *vgic, struct virq *virq, bool edge);     /* GICD_ICFGR */
void vgic_set_group1(struct vgic *vgic, struct virq *virq, bool group1); /* GICD_IGROUPR */
void vgic_set_active(struct vgic *vgic, struct virq *virq);
void vgic_clear_active(struct vgic *vgic, struct virq *virq);
void vgic_set_groups_enabled(struct vgic *vgic, unsigned groups); /* GICD_CTLR: bit g = Group g */

/* The guest's write to DIR, where it traps: GIC_VIRT_ENDS_ELSEWHERE, vm_type.traps_dir. */
void vgic_deactivate(struct vgic *vgic, unsigned intid);

/* What the guest would read: the state wherever it stands now. */
bool vgic_is_pending(const struct vgic *vgic, const struct virq *virq);
bool vgic_is_active(const struct vgic *vgic, const struct virq *virq);
/* Of an SGI: bit s = pending from core s. */
unsigned vgic_pending_sources(const struct vgic *vgic, const struct virq *virq);

/* Whether the guest takes this interrupt at all: it and its group are enabled. */
bool vgic_may_deliver(const struct vgic *vgic, const struct virq *virq);

/* Whether the guest has something to wake up for, the maintenance interrupt of an end among it:
 * what it ended may come again. */
bool vgic_anything_pending(struct vgic *vgic);

/* The maintenance interrupt: ended interrupts are deactivated, waiting ones move up. */
void vgic_maintain(struct vgic *vgic);

/* The same before it comes: what is_active() and is_pending() say is not older than this. */
void vgic_catch_up(struct vgic *vgic);

/* An active interrupt leaves for another vCPU once it is ended, or no longer does: its end posts a
 * reload to its own vCPU. */
void vgic_expect_end(struct vgic *vgic, struct virq *virq, bool expect);

/* --- from any core --- */

/* Bits of struct vgic_posted's `what` */
#define VGIC_POST_WORD(word) BIT(word) /* something of these 32 interrupts */
#define VGIC_POST_PUBLISH(word) BIT(VIRQ_WORDS + (word))
#define VGIC_POST_GROUPS BIT(2 * VIRQ_WORDS) /* GICD_CTLR */

/* For interrupts from 32 * word on: pending or active, or no longer; or what the distributor holds
 * of them has changed. Of two posts for one interrupt the later one wins. */
void vgic_post_state(struct vcpu *to, bool active, bool on, unsigned word, uint32_t bits);
void vgic_post_reload(struct vcpu *to, unsigned intid);
void vgic_post(struct vcpu *to, unsigned intid); /* pending */
void vgic_post_sgi(struct vcpu *to, unsigned id, unsigned source);

/* Takes `bits` out of both halves of a pair, which is returned as it was there. */
uint64_t vgic_posted_take(uint64_t *pair, uint32_t bits);

/* Something that needs no more than its bit; the rest calls this last. */
void vgic_post_what(struct vcpu *to, uint32_t what);

/* --- between vgic.c, vgic_lr.c and vgic_post.c --- */

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
