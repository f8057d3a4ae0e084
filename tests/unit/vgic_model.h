/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts as the architecture lets a guest see them (IHI 0048B 3.2 and 4.3, IHI 0069 4.1),
 * one state for each interrupt and nothing of queues and list registers: what the vGIC is compared
 * to. The architecture leaves open, and this GIC promises:
 *
 *  - ends come in any order. One by EOI drops the highest active priority, of any interrupt;
 *  - private interrupts are level-sensitive, SGIs edge-triggered, for any write to ICFGR;
 *  - a write to ICFGR keeps the pending latch of an interrupt;
 *  - a forwarded interrupt is *accepted* as soon as it may be delivered. It is pending until the
 *    guest takes it or clears it then, though its line falls. While it cannot be delivered any more
 *    it is not accepted: it is pending as its line says, if it is private; the pending
 *    state of an SPI is in its latch.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hyp/vcpu/vgic.h"

struct model_irq {
	bool forwarded; /* of a physical interrupt */
	bool enabled;
	bool group1;
	bool edge;
	bool line;
	bool pending_latch; /* pending by software or an edge; SGIs have `sources` instead */
	bool accepted, accepted_latch;
	bool active;
	uint8_t sources;
	uint8_t source; /* SGI: that of the last acknowledge */
	uint8_t priority;
};

struct model {
	struct model_irq irq[VIRQ_COUNT];
	unsigned dist_groups; /* GICD_CTLR: bit g = Group g is forwarded */
	unsigned cpu_groups;  /* GICC_CTLR, ICC_IGRPEN<n>: bit g = Group g is signalled */
	uint8_t mask;         /* PMR */
	unsigned point;       /* BPR: bits [point:0] of a priority preempt nothing */
	bool split_eoi;
	bool late;      /* the hypervisor looks later: model_look() */
	unsigned depth; /* acknowledged, and not ended by EOI */
	uint32_t iar[VIRQ_COUNT];
	unsigned level_count;
	uint8_t level[VIRQ_COUNT]; /* active priorities, the highest last */
};

void model_boot(struct model *model, bool split_eoi);
void model_forward(struct model *model, unsigned intid);

/* Until the hypervisor looks, with `late` set, nothing forwarded is accepted, and what is signalled
 * need not be the most urgent. */
void model_look(struct model *model);

/* Programmed by the guest. */
void model_set_enabled(struct model *model, unsigned intid, bool enabled);
void model_set_priority(struct model *model, unsigned intid, uint8_t priority);
void model_set_group1(struct model *model, unsigned intid, bool group1);
void model_set_edge(struct model *model, unsigned intid, bool edge);
void model_set_dist_groups(struct model *model, unsigned groups);
void model_pend(struct model *model, unsigned intid, unsigned source);
void model_unpend(struct model *model, unsigned intid, unsigned sources);
void model_activate(struct model *model, unsigned intid);
void model_deactivate(struct model *model, unsigned intid);

/* Acts of a device: its line, and the write that stands for an edge of a forwarded one. */
void model_line(struct model *model, unsigned intid, bool high);
void model_raise(struct model *model, unsigned intid);

bool model_is_pending(const struct model *model, unsigned intid);

/* Some interrupt must be signalled to the guest now. */
bool model_signals(const struct model *model);

/* The guest acknowledged `iar`: NULL when that is right, and the model follows; else what is
 * wrong with it. */
const char *model_ack(struct model *model, uint32_t iar);

/* The guest ends, by EOI, what it acknowledged as the `nth` last; returns its IAR. */
uint32_t model_eoi(struct model *model, unsigned nth);

/* Acknowledged, and not ended by EOI. */
bool model_is_running(const struct model *model, unsigned intid);
