/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as the architecture lets vCPUs see them (IHI 0048B 3.2 and 4.3, IHI 0069 4.1): one
 * state for each interrupt, and nothing of queues and list registers. The vGIC is compared to this
 * model. The architecture leaves open, and this GIC promises:
 *
 *  - ends come in any order. An end by EOI drops the highest active priority, of any interrupt;
 *  - private interrupts are level-sensitive, SGIs edge-triggered, for any write to ICFGR;
 *  - a write to ICFGR keeps the pending latch of an interrupt;
 *  - a forwarded interrupt is *accepted* as soon as it may be delivered. It is pending until the
 *    guest takes it or clears it then, though its line falls. While it cannot be delivered any more
 *    it is not accepted: it is pending as its line says, if it is private; the pending
 *    state of an SPI is in its latch.
 *
 * A vCPU whose core has not looked for a while is `blind`. Alone, such a vCPU sees its own acts at
 * once; only physical interrupts wait. The acts of other vCPUs take their time, as the architecture
 * allows: a blind vCPU may acknowledge any interrupt that it could have acknowledged since its core
 * last looked, and need not see what is pending. Such a race leaves open whether the interrupt is
 * still pending (`maybe`); the model learns that from the vGIC once every core has looked. All else
 * is exact then.
 */
#pragma once

#include "hyp/vm/vgicd.h"

#define MODEL_INTIDS 17u
#define MODEL_PRIVATE 8u /* the first of them */
#define MODEL_NOBODY 0xffu
#define MODEL_IDLE 0x100u /* no priority */
#define MODEL_TIMER 27u   /* forwarded, as the SPIs from FAKE_SPI_FIRST on are */
extern const uint8_t model_intids[MODEL_INTIDS]; /* those that are in use */

struct model_irq {
	bool forwarded; /* of a physical interrupt */
	bool is_spi;
	bool enabled, group1, edge, line;
	bool pending_latch; /* pending by software or an edge; SGIs have `sources` instead */
	bool accepted, accepted_latch;
	bool maybe;         /* latched or accepted, for all that is known */
	uint8_t sources;    /* SGI: bit s = pending from source s */
	uint8_t maybe_from; /* likewise, for all that is known */
	bool active, acked; /* acked: active by an acknowledge, and not by ISACTIVER */
	uint8_t owner;      /* the vCPU at which the interrupt is active */
	uint8_t acked_from; /* SGI: source of the last acknowledge */
	uint8_t priority;
	uint8_t target;  /* a vCPU, or MODEL_NOBODY */
	uint8_t holder;  /* the vCPU that has what is pending, once every core has looked */
	uint8_t holders; /* bit n: vCPU n may have something of it */
};

struct model_vcpu {
	bool blind;
	uint8_t groups; /* GICC_CTLR, ICC_IGRPEN<n>: bit g = Group g is signalled */
	uint8_t mask;   /* PMR */
	unsigned point; /* BPR: bits [point:0] of a priority preempt nothing */
	struct model_irq private[GIC_PRIVATE_COUNT];
	uint8_t seen[VIRQ_COUNT];      /* conditions of an acknowledge since the last look */
	uint8_t seen_from[VIRQ_COUNT]; /* SGIs: sources, likewise */
	bool seen_high[VIRQ_COUNT];    /* an emulated device's line, likewise */
	unsigned depth;                /* acknowledged, and not ended by EOI */
	uint32_t iar[VIRQ_COUNT];
	unsigned level_count;
	uint16_t level[VIRQ_COUNT]; /* active priorities, the highest last */
};

struct model {
	unsigned count; /* of vCPUs */
	bool split_eoi;
	unsigned dist_groups; /* GICD_CTLR: bit g = Group g is forwarded */
	struct model_vcpu vcpu[VCPU_MAX];
	struct model_irq spi[VIRQ_COUNT];
};
extern struct model model;

void model_boot(unsigned count, bool split_eoi);

/* The interrupt as vCPU n has it. */
struct model_irq *model_irq(unsigned n, unsigned intid);

/* No vCPU that may have something of the interrupt is blind. */
bool model_is_sure(const struct model_irq *irq);

/* Another vCPU's act on the interrupt takes its time. */
bool model_races(const struct model_irq *irq);

bool model_may_deliver(const struct model_irq *irq);

/* Acts. */
void model_pend(struct model_irq *irq);
void model_unpend(struct model_irq *irq, unsigned sources);
void model_line(struct model_irq *irq, bool high);
void model_target(struct model_irq *irq, unsigned target);
void model_activate(unsigned n, struct model_irq *irq);
void model_deactivate(struct model_irq *irq);
/* Before enable, group or target may forbid what they allowed. */
void model_release(struct model_irq *irq);

/* After each act: the cores that are not blind have looked. */
void model_look(void);

bool model_is_pending(const struct model_irq *irq);
bool model_may_be_pending(const struct model_irq *irq);

/* Some interrupt must be signalled to vCPU n now. */
bool model_signals(unsigned n);

/* vCPU n acknowledged `iar`, and its CPU interface has `running` as its priority since. Return NULL
 * when the acknowledge is right, and the model follows; else what is wrong. */
const char *model_ack(unsigned n, uint32_t iar, unsigned running);

/* vCPU n ends, by EOI, what it acknowledged as the `nth` last; returns its IAR. */
uint32_t model_eoi(unsigned n, unsigned nth);

/* Acknowledged by vCPU n, and not ended by EOI. */
bool model_is_running(unsigned n, unsigned intid);

/* Every core has looked: learn from the vGIC what the model does not know. */
void model_adopt(struct model_irq *irq, bool pending, unsigned sources);
