/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_model.h"

#include <stddef.h>
#include <string.h>

#define IDLE_PRIORITY 0x100u
#define PRIORITY_BITS 0xf8u

void model_boot(struct model *model, bool split_eoi)
{
	memset(model, 0, sizeof(*model));
	model->dist_groups = 3;
	model->cpu_groups = 3;
	model->mask = 0xff;
	model->point = 2;
	model->split_eoi = split_eoi;
	for (unsigned i = 0; i < GIC_SGI_COUNT; i++) {
		model->irq[i].edge = true;
		model->irq[i].enabled = gic_version() == 2;
	}
}

void model_forward(struct model *model, unsigned intid)
{
	model->irq[intid].forwarded = true;
}

static bool may_deliver(const struct model *model, const struct model_irq *irq)
{
	return irq->enabled && (model->dist_groups >> irq->group1 & 1);
}

static bool line_pends(const struct model_irq *irq)
{
	return irq->line && !irq->edge;
}

bool model_is_pending(const struct model *model, unsigned intid)
{
	const struct model_irq *irq = &model->irq[intid];

	return irq->pending_latch || irq->accepted || line_pends(irq) || irq->sources;
}

/* --- forwarded interrupts --- */

static void release(const struct model *model, unsigned intid, struct model_irq *irq)
{
	(void)model;
	if (!irq->accepted)
		return;
	irq->pending_latch |= irq->accepted_latch || irq->edge || intid >= GIC_PRIVATE_COUNT;
	irq->accepted = false;
}

/* After every change: forwarded interrupts are accepted, or are no longer. */
static void update(struct model *model, unsigned intid)
{
	struct model_irq *irq = &model->irq[intid];

	if (!irq->forwarded)
		return;
	if (!may_deliver(model, irq)) {
		release(model, intid, irq);
	} else if (!model->late && !irq->active && !irq->accepted &&
		   (irq->pending_latch || line_pends(irq)) && irq->priority < PRIORITY_BITS) {
		irq->accepted = true;
		irq->accepted_latch = irq->pending_latch;
		irq->pending_latch = false;
	}
}

void model_look(struct model *model)
{
	model->late = false;
	for (unsigned i = 0; i < VIRQ_COUNT; i++)
		update(model, i);
}

/* --- what the guest programs, and devices --- */

void model_set_enabled(struct model *model, unsigned intid, bool enabled)
{
	if (intid < GIC_SGI_COUNT && gic_version() == 2)
		return;
	model->irq[intid].enabled = enabled;
	update(model, intid);
}

void model_set_priority(struct model *model, unsigned intid, uint8_t priority)
{
	model->irq[intid].priority = priority & PRIORITY_BITS;
	update(model, intid);
}

void model_set_group1(struct model *model, unsigned intid, bool group1)
{
	model->irq[intid].group1 = group1;
	update(model, intid);
}

void model_set_edge(struct model *model, unsigned intid, bool edge)
{
	if (intid >= GIC_PRIVATE_COUNT)
		model->irq[intid].edge = edge;
	update(model, intid);
}

void model_set_dist_groups(struct model *model, unsigned groups)
{
	model->dist_groups = groups;
	for (unsigned i = 0; i < VIRQ_COUNT; i++)
		update(model, i);
}

void model_pend(struct model *model, unsigned intid, unsigned source)
{
	struct model_irq *irq = &model->irq[intid];

	if (intid < GIC_SGI_COUNT)
		irq->sources |= (uint8_t)(1u << source);
	else if (irq->accepted)
		irq->accepted_latch = true;
	else
		irq->pending_latch = true;
	update(model, intid);
}

void model_unpend(struct model *model, unsigned intid, unsigned sources)
{
	struct model_irq *irq = &model->irq[intid];

	irq->sources &= (uint8_t)~sources;
	irq->pending_latch = irq->accepted = false;
	update(model, intid);
}

void model_line(struct model *model, unsigned intid, bool high)
{
	struct model_irq *irq = &model->irq[intid];

	irq->pending_latch |= irq->edge && high && !irq->line;
	irq->line = high;
	update(model, intid);
}

void model_raise(struct model *model, unsigned intid)
{
	model->irq[intid].pending_latch = true;
	update(model, intid);
}

void model_activate(struct model *model, unsigned intid)
{
	release(model, intid, &model->irq[intid]);
	model->irq[intid].active = true;
}

void model_deactivate(struct model *model, unsigned intid)
{
	model->irq[intid].active = false;
	update(model, intid);
}

/* --- the CPU interface --- */

static unsigned running(const struct model *model)
{
	return model->level_count ? model->level[model->level_count - 1] : IDLE_PRIORITY;
}

static unsigned group_priority(const struct model *model, unsigned priority)
{
	return priority & ~0u << (model->point + 1);
}

/* The priority of the most urgent interrupt that can be signalled, or IDLE_PRIORITY. */
static unsigned best(const struct model *model)
{
	unsigned priority = model->mask & PRIORITY_BITS;

	for (unsigned i = 0; i < VIRQ_COUNT; i++) {
		const struct model_irq *irq = &model->irq[i];

		if (may_deliver(model, irq) && (model->cpu_groups >> irq->group1 & 1) &&
		    !irq->active && model_is_pending(model, i) && irq->priority < priority)
			priority = irq->priority;
	}
	return group_priority(model, priority) < running(model) &&
			       priority < (model->mask & PRIORITY_BITS)
		       ? priority
		       : IDLE_PRIORITY;
}

bool model_signals(const struct model *model)
{
	return best(model) != IDLE_PRIORITY;
}

static const char *wrong_ack(const struct model *model, uint32_t iar)
{
	unsigned intid = gic_intid(iar);
	const struct model_irq *irq = &model->irq[intid % VIRQ_COUNT];

	if (intid >= VIRQ_COUNT)
		return "acknowledged an unknown interrupt";
	if (intid < GIC_SGI_COUNT && !(irq->sources >> gic_source(iar) & 1))
		return "acknowledged an SGI that this core did not send";
	if (!model_is_pending(model, intid))
		return "acknowledged an interrupt that is not pending";
	if (irq->active)
		return "acknowledged an interrupt that is active";
	if (!may_deliver(model, irq))
		return "acknowledged an interrupt that is disabled";
	if (!(model->cpu_groups >> irq->group1 & 1))
		return "acknowledged an interrupt of a group that is off";
	if (irq->forwarded && !irq->accepted)
		return "acknowledged what was not forwarded";
	if (!model->late && irq->priority != best(model))
		return "acknowledged an interrupt before a more urgent one";
	return NULL;
}

const char *model_ack(struct model *model, uint32_t iar)
{
	struct model_irq *irq = &model->irq[gic_intid(iar) % VIRQ_COUNT];
	const char *wrong;

	if (gic_intid(iar) == GIC_SPURIOUS)
		return model_signals(model) && !model->late
			       ? "acknowledged nothing though something is pending"
			       : NULL;
	wrong = wrong_ack(model, iar);
	if (wrong)
		return wrong;
	if (irq->forwarded)
		irq->accepted = false; /* an edge since then counts anew */
	else
		irq->pending_latch = false;
	irq->active = true;
	irq->source = (uint8_t)gic_source(iar);
	irq->sources &= (uint8_t) ~(1u << gic_source(iar));
	model->iar[model->depth++] = iar;
	model->level[model->level_count++] = (uint8_t)group_priority(model, irq->priority);
	return NULL;
}

uint32_t model_eoi(struct model *model, unsigned nth)
{
	unsigned at = model->depth - 1 - nth;
	uint32_t iar = model->iar[at];

	model->depth--;
	for (unsigned i = at; i < model->depth; i++)
		model->iar[i] = model->iar[i + 1];
	model->level_count--;
	if (!model->split_eoi)
		model_deactivate(model, gic_intid(iar));
	return iar;
}

bool model_is_running(const struct model *model, unsigned intid)
{
	for (unsigned i = 0; i < model->depth; i++)
		if (gic_intid(model->iar[i]) == intid)
			return true;
	return false;
}
