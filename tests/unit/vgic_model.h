/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the architecture says a guest sees of its interrupts (IHI 0048B 3.2, IHI 0069 4.1), one
 * state for each interrupt and nothing of queues and list registers: what the vGIC is compared to.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hyp/vgic.h"

struct model_irq {
	bool enabled;
	bool latched; /* pending; SGIs have `sources` instead */
	bool line;
	bool active;
	uint8_t sources;
	uint8_t priority;
};

struct model {
	struct model_irq irq[VIRQ_COUNT];
	bool dist_enabled;
	bool split_eoi;
	unsigned lr_count; /* so many can be active; with as many active nothing else comes */
	unsigned depth;    /* acknowledged, and their priority not dropped */
	uint32_t iar[VIRQ_COUNT];
	uint8_t running[VIRQ_COUNT]; /* their priorities, the highest last */
};

void model_boot(struct model *model, unsigned lr_count, bool split_eoi);

void model_pend(struct model *model, unsigned intid, unsigned source);
void model_unpend(struct model *model, unsigned intid);
bool model_is_pending(const struct model *model, unsigned intid);
unsigned model_active_count(const struct model *model);

/* Some interrupt must be signalled to the guest now. */
bool model_signals(const struct model *model);

/* The guest acknowledged `iar`: NULL when that is right, and the model follows; else what is
 * wrong with it. */
const char *model_ack(struct model *model, uint32_t iar);

/* The guest ends what it acknowledged last; returns its IAR. */
uint32_t model_eoi(struct model *model);
void model_deactivate(struct model *model, unsigned intid);
