/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as the architecture lets several vCPUs see them (IHI 0048B 3.2 and 4.3, IHI 0069
 * 4.1): one state for each interrupt, as though every act had its effect on every vCPU at once.
 *
 * Where the architecture lets an effect take its time, so does the model: a vCPU whose core has not
 * looked since (`blind`) may acknowledge what it could have at any time since its last look, and
 * need not see what is pending. What such a race leaves open (`maybe`: whether the interrupt is
 * pending still) is read from the vGIC once every core has looked; all else is exact then.
 */
#pragma once

#include "hyp/vm/vgicd.h"

#define SMP_SLOTS 10u
#define SMP_PRIVATE 4u /* of the slots: the first */
#define SMP_NOBODY 0xffu
extern const uint8_t smp_intids[SMP_SLOTS]; /* those that are in use */

struct smp_irq {
	bool forwarded; /* a physical SPI */
	bool enabled, group1, edge, line;
	bool pending_latch; /* by software or an edge; SGIs have `sources` instead */
	bool accepted;      /* forwarded: the vGIC has it */
	bool maybe;         /* latched or accepted, for all that is known */
	uint8_t sources;    /* SGI: bit s = pending from vCPU s */
	uint8_t maybe_from; /* likewise, for all that is known */
	bool active, acked; /* acked: by an acknowledge, and not by ISACTIVER */
	uint8_t owner;      /* vCPU that it is active at */
	uint8_t acked_from; /* SGI: source of the last acknowledge */
	uint8_t priority;
	uint8_t target;  /* SPI: vCPU, or SMP_NOBODY */
	uint8_t holder;  /* that has what is pending, once every core has looked */
	uint8_t holders; /* bit n: vCPU n may have something of it */
};

struct smp_vcpu {
	bool blind;
	uint8_t groups, mask; /* of its CPU interface */
	unsigned running;     /* priority, as the CPU interface has it */
	struct smp_irq private[SMP_PRIVATE];
	uint8_t seen
		[SMP_SLOTS]; /* which conditions of an acknowledge holders since its last look */
	uint8_t seen_from[SMP_SLOTS]; /* SGIs: sources, likewise */
	bool seen_high[SMP_SLOTS];    /* an emulated device's line, likewise */
	unsigned depth;               /* acknowledged, and not ended by EOI */
	uint32_t iar[VIRQ_COUNT];
};

struct smp_model {
	unsigned count;
	bool split_eoi;
	unsigned dist_groups;
	struct smp_vcpu vcpu[VCPU_MAX];
	struct smp_irq spi[SMP_SLOTS - SMP_PRIVATE];
};
extern struct smp_model smp_model;

void smp_model_boot(unsigned count, bool split_eoi);

/* The interrupt of `slot` as vCPU n has it. */
struct smp_irq *smp_model_irq(unsigned n, unsigned slot);

/* Every core that may have something of it has looked. */
bool smp_model_is_sure(const struct smp_irq *irq);

/* Acts: effects on `n`'s interrupt of that slot, or on the SPI. */
void smp_model_pend(struct smp_irq *irq);
void smp_model_unpend(struct smp_irq *irq);
void smp_model_line(struct smp_irq *irq, bool high);
void smp_model_target(struct smp_irq *irq, unsigned target);
void smp_model_activate(unsigned n, struct smp_irq *irq);
void smp_model_deactivate(struct smp_irq *irq);
/* Before enable, group or target may forbid what they allowed. */
void smp_model_release(struct smp_irq *irq);

/* After each act: the cores that are not blind have looked. */
void smp_model_look(void);

bool smp_model_is_pending(const struct smp_irq *irq);
bool smp_model_may_be_pending(const struct smp_irq *irq);

/* vCPU n acknowledged `iar`: NULL when that is right, and the model follows; else what is wrong. */
const char *smp_model_ack(unsigned n, uint32_t iar);
/* It ends, by EOI, what it acknowledged last; returns its IAR. */
uint32_t smp_model_eoi(unsigned n);
/* Acknowledged by vCPU n, and not ended by EOI. */
bool smp_model_is_running(unsigned n, unsigned intid);

/* Every core has looked: what the vGIC says of what the model does not know. */
void smp_model_adopt(struct smp_irq *irq, bool pending, unsigned sources);
