/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of interrupts as the architecture lets vCPUs see them (IHI 0048B 3.2 and 4.3, IHI 0069
 * 4.1). It has one state for each interrupt, and neither queues nor list registers. The tests
 * compare the vGIC with this model. Where the architecture leaves a choice the model follows what
 * this GIC promises:
 *
 *  - interrupts end in any order. An EOI drops the highest active priority, whichever interrupt it
 *    names;
 *  - PPIs stay level-sensitive and SGIs edge-triggered, whatever is written to ICFGR;
 *  - a write to ICFGR keeps the pending latch of an interrupt;
 *  - a forwarded interrupt is *accepted* as soon as it may be delivered. It is then pending until
 *    the guest acknowledges or clears it, even if its line falls. When it may not be delivered any
 *    more it is no longer accepted: a PPI is then pending while its line is high, and the pending
 *    state of an SPI is in its latch.
 *
 * A core *looks* when it takes its signalled interrupts. A vCPU whose core has not looked for a
 * while is `blind`. A lone vCPU that is blind sees its own actions at once; only physical
 * interrupts wait. The actions of other vCPUs take time, as the architecture allows: a blind vCPU
 * may acknowledge any interrupt that it could have acknowledged since its core last looked, and
 * need not see an interrupt that is pending. Such a race leaves open whether the interrupt is still
 * pending (`maybe`). The model learns this from the vGIC once every core has looked. All other
 * state is exact then.
 */
#pragma once

#include "hyp/vm/vgicd.h"

#define MODEL_INTIDS 17u
#define MODEL_PRIVATE 8u /* number of private interrupts, which come first */
#define MODEL_NOBODY 0xffu
#define MODEL_IDLE 0x100u /* running priority while no priority is active */
#define MODEL_TIMER 27u   /* forwarded, as the SPIs from FAKE_SPI_FIRST on are */
extern const uint8_t model_intids[MODEL_INTIDS]; /* the INTIDs in use */

struct model_irq {
	bool forwarded; /* belongs to a physical interrupt */
	bool is_spi;
	bool enabled, group1, edge, line;
	bool pending_latch; /* pending by software or an edge; SGIs have `sources` instead */
	bool accepted, accepted_latch;
	bool maybe;         /* may be latched or accepted */
	uint8_t sources;    /* SGI: bit s = pending from source s */
	uint8_t maybe_from; /* SGI: bit s = may be pending from source s */
	bool active, acked; /* acked: active by an acknowledge, and not by ISACTIVER */
	uint8_t owner;      /* the vCPU at which the interrupt is active */
	uint8_t acked_from; /* SGI: source of the last acknowledge */
	uint8_t priority;
	uint8_t target;  /* a vCPU, or MODEL_NOBODY */
	uint8_t holder;  /* the vCPU that has the pending interrupt, once every core has looked */
	uint8_t holders; /* bit n: vCPU n may have state of the interrupt */
};

struct model_vcpu {
	bool blind;
	uint8_t groups; /* GICC_CTLR, ICC_IGRPEN<n>: bit g = Group g is signalled */
	uint8_t mask;   /* PMR */
	unsigned point; /* BPR: bits [point:0] of a priority preempt nothing */
	struct model_irq private[GIC_PRIVATE_COUNT];
	uint8_t seen[VIRQ_COUNT]; /* conditions for an acknowledge that held since the last look */
	uint8_t seen_from[VIRQ_COUNT]; /* SGIs: sources pending since the last look */
	bool seen_high[VIRQ_COUNT];    /* emulated device: the line was high since the last look */
	unsigned depth;                /* number of interrupts acknowledged and not ended by EOI */
	uint32_t iar[VIRQ_COUNT];
	unsigned level_count;
	uint16_t level[VIRQ_COUNT]; /* active priorities, the highest last */
};

struct model {
	unsigned count; /* number of vCPUs */
	bool split_eoi;
	unsigned dist_groups; /* GICD_CTLR: bit g = Group g is forwarded */
	struct model_vcpu vcpu[VCPU_MAX];
	struct model_irq spi[VIRQ_COUNT];
};
extern struct model model;

void model_boot(unsigned count, bool split_eoi);

/* Return interrupt `intid` as vCPU n sees it. */
struct model_irq *model_irq(unsigned n, unsigned intid);

/* Return true if no vCPU that may have state of the interrupt is blind. */
bool model_is_sure(const struct model_irq *irq);

/* Return true if another vCPU's action on the interrupt may take effect later. */
bool model_races(const struct model_irq *irq);

bool model_may_deliver(const struct model_irq *irq);

/* Actions of vCPUs and devices. */
void model_pend(struct model_irq *irq);
void model_unpend(struct model_irq *irq, unsigned sources);
void model_line(struct model_irq *irq, bool high);
void model_target(struct model_irq *irq, unsigned target);
void model_activate(unsigned n, struct model_irq *irq);
void model_deactivate(struct model_irq *irq);
/* Call when a change of enable, group or target may forbid the delivery. */
void model_release(struct model_irq *irq);

/* Call after each action: the cores that are not blind look. */
void model_look(void);

bool model_is_pending(const struct model_irq *irq);
bool model_may_be_pending(const struct model_irq *irq);

/* Return true if an interrupt must be signalled to vCPU n now. */
bool model_signals(unsigned n);

/* vCPU n acknowledged `iar`, and the running priority of its CPU interface is now `running`. Return
 * NULL and update the model if the acknowledge is right, else return what is wrong. */
const char *model_ack(unsigned n, uint32_t iar, unsigned running);

/* vCPU n ends by EOI the interrupt that it acknowledged `nth` last (0: last). Return its IAR. */
uint32_t model_eoi(unsigned n, unsigned nth);

/* Return true if vCPU n has acknowledged the interrupt and not ended it by EOI. */
bool model_is_running(unsigned n, unsigned intid);

/* Every core has looked: take from the vGIC the pending state that the model does not know. */
void model_adopt(struct model_irq *irq, bool pending, unsigned sources);
