/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_model.h"

#include <stddef.h>
#include <string.h>

#define IDLE_PRIORITY 0x100u

void model_boot(struct model *model, unsigned lr_count, bool split_eoi)
{
	memset(model, 0, sizeof(*model));
	model->dist_enabled = true;
	model->lr_count = lr_count;
	model->split_eoi = split_eoi;
	for (unsigned i = 0; i < GIC_SGI_COUNT; i++)
		model->irq[i].enabled = gic_version() == 2;
}

void model_pend(struct model *model, unsigned intid, unsigned source)
{
	if (intid < GIC_SGI_COUNT)
		model->irq[intid].sources |= (uint8_t)(1u << source);
	else
		model->irq[intid].latched = true;
}

void model_unpend(struct model *model, unsigned intid)
{
	model->irq[intid].sources = 0;
	model->irq[intid].latched = false;
}

bool model_is_pending(const struct model *model, unsigned intid)
{
	const struct model_irq *irq = &model->irq[intid];

	return irq->latched || irq->line || irq->sources;
}

unsigned model_active_count(const struct model *model)
{
	unsigned count = 0;

	for (unsigned i = 0; i < VIRQ_COUNT; i++)
		count += model->irq[i].active;
	return count;
}

static unsigned running(const struct model *model)
{
	return model->depth ? model->running[model->depth - 1] : IDLE_PRIORITY;
}

/* The priority of the most urgent interrupt that can be signalled, or IDLE_PRIORITY. */
static unsigned best(const struct model *model)
{
	unsigned priority = running(model);

	for (unsigned i = 0; model->dist_enabled && i < VIRQ_COUNT; i++) {
		const struct model_irq *irq = &model->irq[i];

		if (irq->enabled && !irq->active && model_is_pending(model, i) &&
		    irq->priority < priority)
			priority = irq->priority;
	}
	return priority < running(model) ? priority : IDLE_PRIORITY;
}

bool model_signals(const struct model *model)
{
	return best(model) != IDLE_PRIORITY && model_active_count(model) < model->lr_count;
}

static const char *wrong_ack(const struct model *model, uint32_t iar)
{
	unsigned intid = gic_intid(iar);
	const struct model_irq *irq = &model->irq[intid % VIRQ_COUNT];

	if (intid >= VIRQ_COUNT)
		return "an unknown interrupt";
	if (intid < GIC_SGI_COUNT && !(irq->sources >> gic_source(iar) & 1))
		return "an SGI that this core did not send";
	if (!model_is_pending(model, intid))
		return "an interrupt that is not pending";
	if (irq->active)
		return "an interrupt that is active";
	if (!irq->enabled || !model->dist_enabled)
		return "an interrupt that is disabled";
	if (irq->priority != best(model))
		return "an interrupt before a more urgent one";
	return NULL;
}

const char *model_ack(struct model *model, uint32_t iar)
{
	struct model_irq *irq = &model->irq[gic_intid(iar) % VIRQ_COUNT];
	const char *wrong;

	if (gic_intid(iar) == GIC_SPURIOUS)
		return model_signals(model) ? "nothing though something is pending" : NULL;
	wrong = wrong_ack(model, iar);
	if (wrong)
		return wrong;
	irq->active = true;
	irq->latched = false;
	irq->sources &= (uint8_t) ~(1u << gic_source(iar));
	model->iar[model->depth] = iar;
	model->running[model->depth++] = irq->priority;
	return NULL;
}

uint32_t model_eoi(struct model *model)
{
	uint32_t iar = model->iar[--model->depth];

	if (!model->split_eoi)
		model_deactivate(model, gic_intid(iar));
	return iar;
}

void model_deactivate(struct model *model, unsigned intid)
{
	model->irq[intid].active = false;
}
