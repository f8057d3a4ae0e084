/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual GIC of one vCPU: the states of its interrupts (vgic.c), their queue and the list
 * registers (vgic_lr.c), and posts of other cores (vgic_post.c). vgicd.c has the distributor that
 * the guest programs.
 *
 * Invariants:
 * - A virtual interrupt is in at most one list register.
 * - With more pending interrupts than list registers, the list registers have the most urgent
 *    ones. Groups that the guest's CPU interface has off come last. A maintenance interrupt brings
 *    in the others.
 * - If an interrupt that may be signalled is pending, a list register has one. If every list
 *    register is active, the least urgent active interrupt is *spilled*: active in memory. EOIcount
 *    or a trap of DIR reports its end.
 * - The maintenance interrupt never reports a condition that holds already.
 * - An interrupt with a physical one (`hw`) is deactivated physically exactly once: by the guest's
 *    EOI (lr=hw), or by the hypervisor at the maintenance interrupt of the EOI (lr=sw, and lr=hw
 *    after vgic_lr.c has cut the link because more work follows the end).
 */
#pragma once

#include "arch/types.h"
#include "drivers/gic/gic.h"
#include "drivers/gic/gic_virt.h"
#include "lib/bits.h"

#define VIRQ_COUNT 128u /* INTIDs 0 to 127: 16 SGIs, 16 PPIs, 96 SPIs */
#define VIRQ_WORDS (VIRQ_COUNT / 32)
#define VIRQ_LR_NONE 0x80u /* no list register's number has this bit */
#define VIRQ_GROUPS 2u
#define VIRQ_PRIORITIES 32u /* priorities that a list register distinguishes */
#define VIRQ_PRIORITY_MASK 0xf8u

/* The most interrupts whose state or configuration one visit to EL2 changes. A write to more
 * interrupts is posted to their vCPU, and vgicd_process_posts() changes that many in each visit. */
#define PIECE_VIRQS 2u

struct vcpu;

/* Configuration that the guest programs. The struct is one word, whose copy needs no call. */
struct virq_config {
	bool enabled;     /* enabled, and its group is enabled in GICD_CTLR */
	bool edge;        /* GICD_ICFGR */
	bool group1;      /* GICD_IGROUPR */
	uint8_t priority; /* the upper five bits, which a list register has */
} __attribute__((aligned(4)));

struct virq {
	uint64_t lr_value; /* list register contents that make the interrupt pending */
	struct virq_config config;
	/* The list register for the fast paths while this interrupt owns it and is enabled; else
	 * VIRQ_LR_NONE. forward_lr is for the acknowledge of a physical interrupt (hw), send_lr for
	 * a request by software of another interrupt. */
	uint8_t forward_lr, send_lr;
	/* last list register of the interrupt; valid while the interrupt owns it */
	uint8_t last_lr;
	uint8_t intid;
	uint8_t sources; /* SGI: bit s is pending from vCPU s, outside of list registers */
	bool hw;         /* forwarded from the physical interrupt of the same INTID */

	/* Pending outside of list registers. hw: acknowledged at the physical GIC and not yet
	 * active for the guest. Otherwise: pending by software or an edge. */
	bool pending_latch;
	bool hw_latch; /* hw: software made it pending at the physical GIC */
	bool lr_latch; /* the list register's pending state came from software or an edge */
	bool level;    /* line of an emulated device */

	/* Not 0: active in no list register, with the active priority spilled - 1. A value above
	 * VIRQ_PRIORITIES: software made the interrupt active. */
	uint8_t spilled;
	bool retarget;          /* active, and moves to another vCPU when it ends */
} __attribute__((aligned(32))); /* an element of an array lies in one cache line */

/*
 * Requests of other cores, and the rest of a write by the vCPU itself. Any core sets bits and kicks
 * the vCPU's core (vgic_post_kinds()), which processes them (vgicd_process_posts()). The lower half
 * of a pair has interrupts to set, the upper half interrupts to clear; an interrupt is in at most
 * one half.
 */
struct vgic_posted {
	uint32_t kinds;               /* VGIC_POST_*; 0 without posts */
	uint64_t pair[2][VIRQ_WORDS]; /* pairs for pending and active states */
	uint32_t reload[VIRQ_WORDS];
	/* pairs; GICv2: one byte for each SGI, one bit for each source */
	uint64_t sources[GIC_SGI_COUNT / 4];
};

/* One piece of a reset clears the members before spilled_at, another one those up to virq. */
struct vgic {
	union {                     /* hyp/vcpu/vppi.c */
		uint32_t ppi_known; /* 0 if ppi_config is unknown */
		uint64_t ppi_config;
	};
	/* Not 0: an interrupt may be in the queue, spilled, or have a retarget pending, or a rest
	 * of posts may wait. 0: the fast paths may write list registers. */
	unsigned work;
	unsigned lr_count;
	bool batch;       /* vgic_begin() */
	bool link_hw;     /* lr=hw */
	bool wide, spent; /* several words are accessed; one interrupt has changed already */
	struct vgic_posted posted;
	/* A bit for each physical interrupt that is routed to this vCPU; word 0 has only PPIs. */
	uint32_t routed[VIRQ_WORDS];
	struct virq *lr_owner[GIC_LR_MAX]; /* interrupt that the list register has, or had last */
	unsigned spilled_count, retarget_count;
	uint32_t not_read;                 /* bits of a word that an access does not read */
	uint32_t published[2][VIRQ_WORDS]; /* pending and active states that other vCPUs read */
	/* Active priorities of spilled interrupts, in the form of gic_virt_active_priorities(), and
	 * the interrupt of each. */
	uint32_t spilled_at __attribute__((aligned(8)));
	uint8_t spilled_by[VIRQ_PRIORITIES];
	/* Interrupts that wait for a list register, by group, priority and INTID, and the
	 * priorities that have such interrupts. */
	uint32_t queued[VIRQ_GROUPS][VIRQ_PRIORITIES][VIRQ_WORDS];
	uint32_t queued_at[VIRQ_GROUPS] __attribute__((aligned(32)));
	/* Two interrupts share a cache line: those of the guest's timer and of the hypervisor's. */
	struct virq virq[VIRQ_COUNT];
};

/* Return whether physical interrupt `intid` is routed to this vCPU. */
static inline bool vgic_routes(const struct vgic *vgic, unsigned intid)
{
	return bit_test(vgic->routed, intid);
}

/* Reset for a fresh guest: nothing enabled, pending or active; the list registers empty. */
void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw);

/* Do this reset in pieces of bounded length, 0 to VGIC_RESET_PIECES - 1 in this order. From the
 * first piece on no physical interrupt has a route. */
#define VGIC_RESET_PIECES (2 + VIRQ_WORDS)
void vgic_reset_piece(struct vgic *vgic, unsigned piece, unsigned lr_count, bool link_hw);

/* Forward physical interrupt `intid` while the guest has it enabled. Return false for an INTID that
 * no guest can have. */
bool vgic_forward(struct vgic *vgic, unsigned intid);

/* A forwarded physical interrupt was acknowledged. Return the list register into which
 * virq->lr_value can be written without further work, or VIRQ_LR_NONE: then call vgic_inject(). */
unsigned vgic_inject_lr(const struct vgic *vgic, const struct virq *virq);
void vgic_inject(struct vgic *vgic, struct virq *virq);

/* Accept the interrupt for a vCPU that is not loaded; `state` is its virtual interface. */
void vgic_inject_unloaded(struct vgic *vgic, struct gic_virt_state *state, struct virq *virq);

/* Begin a batch of changes: vgic_end() updates the list registers once. */
void vgic_begin(struct vgic *vgic);
void vgic_end(struct vgic *vgic);

/* Begin or end a batch that changes one interrupt, which is not active. The interrupt takes an
 * empty list register at once if there is no other work. */
void vgic_begin_one(struct vgic *vgic);
void vgic_end_one(struct vgic *vgic);

/* End a batch without the update. vgic_refill() must follow before the guest continues. */
void vgic_end_later(struct vgic *vgic);

/* Make an interrupt pending for the guest (GICD_ISPENDR, GICD_SGIR) from one source, 0 to 7, or
 * from several, one bit each. Only an SGI has a source other than 0. */
void vgic_set_pending(struct vgic *vgic, struct virq *virq, unsigned source);
void vgic_set_pending_from(struct vgic *vgic, struct virq *virq, unsigned sources);

/* Do vgic_set_pending() if virq->lr_value can be written to a list register without further work.
 * Return false without an effect if vgic_set_pending() has more to do. */
static inline bool vgic_set_pending_at_once(const struct vgic *vgic, const struct virq *virq,
					    unsigned source)
{
	unsigned i = virq->send_lr;

	if (i & VIRQ_LR_NONE || vgic->work || source || !gic_lr_is_empty(i))
		return false;
	gic_lr_write(i, virq->lr_value);
	return true;
}

/* GICD_ICPENDR, GICD_CPENDSGIR. `sources`: sources of an SGI, one bit each. The pending state of
 * the physical interrupt stays: call gic_clear_pending() before. */
void vgic_clear_pending(struct vgic *vgic, struct virq *virq, unsigned sources);

/* Set the line of an emulated device, on the vCPU's core. A level-sensitive interrupt is pending
 * while the line is high, again after the guest's EOI. An edge-triggered interrupt is pending after
 * a rise. Not for `hw`. */
void vgic_set_level(struct vgic *vgic, struct virq *virq, bool level);

/* Apply the guest's configuration of an interrupt. */
void vgic_configure(struct vgic *vgic, struct virq *virq, struct virq_config config);
void vgic_set_priority(struct vgic *vgic, struct virq *virq, uint8_t priority);

/* GICD_ISACTIVER, GICD_ICACTIVER, between vgic_begin() and vgic_end(). The latter also deactivates
 * a physical interrupt. */
void vgic_set_active(struct vgic *vgic, struct virq *virq);
void vgic_clear_active(struct vgic *vgic, struct virq *virq);

/* Handle a trapped write to DIR: GIC_VIRT_ENDS_ELSEWHERE, vm_type.traps_dir. */
void vgic_deactivate(struct vgic *vgic, unsigned intid);

/*
 * Return whether the guest reads the interrupt as pending or as active; return an SGI's sources,
 * one bit each.
 */
bool vgic_is_pending(const struct vgic *vgic, const struct virq *virq);
bool vgic_is_active(const struct vgic *vgic, const struct virq *virq);
unsigned vgic_pending_sources(const struct vgic *vgic, const struct virq *virq);

/* Return the pending or active states of the interrupts `which` of a word, one bit each. */
uint32_t vgic_pending_of(const struct vgic *vgic, unsigned word, uint32_t which);
uint32_t vgic_active_of(const struct vgic *vgic, unsigned word, uint32_t which);

/* Return whether a WFI of the guest ends at once. A maintenance interrupt for an end counts: the
 * ended interrupt may be pending again. */
bool vgic_anything_pending(const struct vgic *vgic);

/* Handle the maintenance interrupt: deactivate ended interrupts, fill the list registers. */
void vgic_maintain(struct vgic *vgic);

/* Process ends and fill the list registers without a maintenance interrupt. In a batch vgic_end()
 * does this. */
void vgic_refill(struct vgic *vgic);

/* Turn the fast paths on again if no work is left, after a visit that changes no interrupt. */
void vgic_settle(struct vgic *vgic);

/* Set virq->retarget of an active interrupt: its end posts a reload to this vCPU. */
void vgic_set_retarget(struct vgic *vgic, struct virq *virq, bool retarget);

/* --- posts from any core --- */

/* Bits of vgic_posted.kinds */
#define VGIC_POST_WORD(word) BIT(word) /* registers or states of these 32 interrupts */
#define VGIC_POST_PUBLISH(word) BIT(VIRQ_WORDS + (word))
#define VGIC_POST_GROUPS(groups) ((groups) << 2 * VIRQ_WORDS) /* GICD_CTLR, bits 0 and 1 */

/* Post that interrupts from 32 * word on become pending or active, or cease to be. The later of two
 * posts for an interrupt wins. */
void vgic_post_state(struct vcpu *to, bool active, bool on, unsigned word, uint32_t bits);
void vgic_post_sgi(struct vcpu *to, unsigned id, unsigned source);

/* GICv2: post sources of four SGIs, one byte each, from 4 * word on. */
void vgic_post_sources(struct vcpu *to, bool on, unsigned word, uint32_t sources);

/*
 * Post that the distributor's registers of one interrupt, or of some interrupts of a word, have
 * changed.
 */
void vgic_post_reload(struct vcpu *to, unsigned intid);
void vgic_post_reloads(struct vcpu *to, unsigned word, uint32_t bits);

/* Post bits that need no detail. The functions above call this function last. */
void vgic_post_kinds(struct vcpu *to, uint32_t kinds);

/* Remove `bits` from both halves of a pair. Return their values before. */
uint64_t vgic_fetch_posted(uint64_t *pair, uint32_t bits);

/* --- between vgic.c and vgic_lr.c --- */

/* Return list register contents that make `virq` pending from `source`. `more`: report the end. */
uint64_t vgic_lr_pending(const struct vgic *vgic, const struct virq *virq, unsigned source,
			 bool more);

/* Return whether a list register, virq->last_lr, has `virq` in this state. */
static inline bool vgic_lr_has(const struct vgic *vgic, const struct virq *virq,
			       enum gic_lr_state state)
{
	return vgic->lr_owner[virq->last_lr] == virq &&
	       gic_lr_state(gic_lr_read(virq->last_lr)) == state;
}

/* Turn the fast paths of `virq` off, until a list register has the interrupt again. */
static inline void virq_go_slowly(struct virq *virq)
{
	virq->forward_lr = virq->send_lr = VIRQ_LR_NONE;
}

/* Return whether the interrupt is pending outside of list registers. */
static inline bool virq_waits(const struct virq *virq)
{
	return virq->sources || virq->pending_latch || (virq->level && !virq->config.edge);
}

/* Remove `virq` from the queue, and its pending state from a list register. */
void vgic_dequeue(struct vgic *vgic, struct virq *virq);

/* Queue `virq`, which is pending in no list register. */
void vgic_push(struct vgic *vgic, const struct virq *virq);

/*
 * After vgic_dequeue(): queue `virq` if it is pending outside of list registers. The second
 * function also fills the list registers.
 */
void vgic_queue(struct vgic *vgic, struct virq *virq);
void vgic_requeue(struct vgic *vgic, struct virq *virq);

/* Make an interrupt active in no list register; make it inactive. `level` is its active priority in
 * the form of spilled_by, or VIRQ_PRIORITIES for none. */
void vgic_spill(struct vgic *vgic, struct virq *virq, unsigned level);
void vgic_unspill(struct vgic *vgic, struct virq *virq);

/* Process the end of an interrupt that is in no list register and not spilled. vgic_refill() must
 * follow. */
void vgic_finish(struct vgic *vgic, struct virq *virq);
