/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_model.h"

#include <stddef.h>
#include <string.h>

#include "lib/bits.h"
#include "tests/unit/fake/fake_hyp.h"

#define PRIORITY_BITS 0xf8u

/* Conditions for an acknowledge */
#define PENDING 1u
#define ENABLED 2u
#define TARGETED 4u
#define INACTIVE 8u
#define GROUP_ON 16u

/* INTIDs of every sort: more than there are list registers, and few enough that steps often use the
 * same one. They lie in few register words, since all of these are read after each step. */
const uint8_t model_intids[MODEL_INTIDS] = {
	0,  1,  2,           7,          /* SGIs */
	20, 22, MODEL_TIMER, 30,         /* PPIs of emulated devices, and the timer */
	32, 33, 34,          35, 36, 39, /* SPIs of emulated devices */
	96, 97, 103,                     /* physical SPIs */
};

struct model model;

struct model_irq *model_irq(unsigned n, unsigned intid)
{
	return intid < GIC_PRIVATE_COUNT ? &model.vcpu[n].private[intid] : &model.spi[intid];
}

static void boot_irq(unsigned n, unsigned intid)
{
	*model_irq(n, intid) = (struct model_irq){
		.priority = 0xa0,
		.enabled = true,
		.group1 = model.count > 1 && gic_version() == 3,
		.edge = intid < GIC_SGI_COUNT,
		.is_spi = intid >= GIC_PRIVATE_COUNT,
		.forwarded = intid == MODEL_TIMER || intid >= FAKE_SPI_FIRST,
		.target = (uint8_t)n,
		.holder = (uint8_t)n,
		.holders = (uint8_t)BIT(n),
	};
}

void model_boot(unsigned count, bool split_eoi)
{
	memset(&model, 0, sizeof(model));
	model.count = count;
	model.split_eoi = split_eoi;
	model.dist_groups = 3;
	for (unsigned n = count; n-- > 0;) {
		model.vcpu[n].groups = 3;
		model.vcpu[n].mask = 0xff;
		model.vcpu[n].point = 2;
		for (unsigned i = 0; i < MODEL_INTIDS; i++)
			boot_irq(n, model_intids[i]);
	}
	model_look();
}

bool model_is_sure(const struct model_irq *irq)
{
	for (unsigned n = 0; n < model.count; n++)
		if (model.vcpu[n].blind && irq->holders >> n & 1)
			return false;
	return true;
}

bool model_races(const struct model_irq *irq)
{
	return model.count > 1 && !model_is_sure(irq);
}

bool model_may_deliver(const struct model_irq *irq)
{
	return irq->enabled && (model.dist_groups >> irq->group1 & 1);
}

static bool line_pends(const struct model_irq *irq)
{
	return irq->line && !irq->edge;
}

bool model_is_pending(const struct model_irq *irq)
{
	return irq->pending_latch || irq->accepted || line_pends(irq) || irq->sources;
}

bool model_may_be_pending(const struct model_irq *irq)
{
	return model_is_pending(irq) || irq->maybe || irq->maybe_from;
}

/* --- actions --- */

void model_pend(struct model_irq *irq)
{
	if (irq->accepted) {
		irq->accepted_latch = true;
		return;
	}
	irq->maybe |= irq->forwarded && irq->pending_latch && model_races(irq);
	irq->pending_latch = true;
}

/* The vGIC accepts a physical SPI again if the line is high and the core clears the SPI before the
 * core sees a change that forbids the delivery. The SPI is then latched. */
void model_unpend(struct model_irq *irq, unsigned sources)
{
	irq->sources &= (uint8_t)~sources;
	irq->maybe_from = 0;
	irq->pending_latch = irq->accepted = false;
	irq->maybe = irq->forwarded && irq->is_spi && line_pends(irq) && model_races(irq);
}

void model_line(struct model_irq *irq, bool high)
{
	irq->maybe |= irq->forwarded && high && model_races(irq);
	irq->pending_latch |= irq->edge && high && !irq->line;
	irq->line = high;
}

/* A forwarded interrupt that the vGIC had accepted becomes pending at the physical GIC again. */
void model_release(struct model_irq *irq)
{
	if (irq->accepted) {
		irq->maybe |= irq->pending_latch && model_races(irq);
		irq->pending_latch |= irq->accepted_latch || irq->edge || irq->is_spi;
	} else if (irq->forwarded && model_races(irq) && model_is_pending(irq)) {
		irq->maybe = true;
	}
	irq->accepted = false;
}

void model_target(struct model_irq *irq, unsigned target)
{
	if (irq->target != target && (!irq->active || target == MODEL_NOBODY))
		model_release(irq);
	irq->target = (uint8_t)target;
	if (target != MODEL_NOBODY)
		irq->holders |= (uint8_t)BIT(target);
}

void model_activate(unsigned n, struct model_irq *irq)
{
	if (irq->active)
		return;
	model_release(irq);
	irq->active = true;
	irq->acked = false;
	irq->owner = (uint8_t)n;
}

void model_deactivate(struct model_irq *irq)
{
	irq->active = irq->acked = false;
}

/* --- cores look --- */

static void accept(struct model_irq *irq)
{
	if (!irq->forwarded || irq->accepted || irq->active || !model_may_deliver(irq) ||
	    irq->target == MODEL_NOBODY || irq->priority >= PRIORITY_BITS)
		return;
	irq->accepted = irq->pending_latch || line_pends(irq);
	irq->accepted_latch = irq->pending_latch;
	irq->pending_latch = false;
}

static void settle(struct model_irq *irq)
{
	if (!model_is_sure(irq))
		return;
	if (!irq->active && (!model_may_deliver(irq) || irq->target == MODEL_NOBODY))
		model_release(irq);
	if (irq->active)
		irq->holder = irq->owner;
	else if (irq->target != MODEL_NOBODY)
		irq->holder = irq->target;
	else
		return; /* the holder is one of the former targets */
	irq->holders =
		(uint8_t)(BIT(irq->holder) | (irq->target != MODEL_NOBODY ? BIT(irq->target) : 0));
	accept(irq);
}

/* An interrupt that was active when its target changed stays at its holder until the holder's core
 * has seen the end. */
static unsigned conditions(unsigned n, const struct model_irq *irq)
{
	bool here = irq->target == n || (irq->holder == n && model.vcpu[n].blind);

	return (model_may_be_pending(irq) ? PENDING : 0) | (irq->enabled ? ENABLED : 0) |
	       (model.dist_groups >> irq->group1 & 1 ? GROUP_ON : 0) | (here ? TARGETED : 0) |
	       (irq->active ? 0 : INACTIVE);
}

static void note(unsigned n, unsigned intid)
{
	struct model_vcpu *vcpu = &model.vcpu[n];
	const struct model_irq *irq = model_irq(n, intid);

	if (!vcpu->blind || model.count == 1) {
		vcpu->seen[intid] = vcpu->seen_from[intid] = 0;
		vcpu->seen_high[intid] = false;
	}
	vcpu->seen_high[intid] |= line_pends(irq) && !irq->forwarded;
	vcpu->seen[intid] |= (uint8_t)conditions(n, irq);
	vcpu->seen_from[intid] |= irq->sources | irq->maybe_from;
}

void model_look(void)
{
	for (unsigned n = 0; n < model.count; n++)
		for (unsigned i = 0; i < (n ? MODEL_PRIVATE : MODEL_INTIDS); i++)
			settle(model_irq(n, model_intids[i]));
	for (unsigned n = 0; n < model.count; n++)
		for (unsigned i = 0; i < MODEL_INTIDS; i++)
			note(n, model_intids[i]);
}

/* --- the CPU interface --- */

static unsigned running(const struct model_vcpu *vcpu)
{
	return vcpu->level_count ? vcpu->level[vcpu->level_count - 1] : MODEL_IDLE;
}

static unsigned group_priority(const struct model_vcpu *vcpu, unsigned priority)
{
	return priority & ~0u << (vcpu->point + 1);
}

static bool may_be_signalled(unsigned n, const struct model_irq *irq)
{
	const struct model_vcpu *vcpu = &model.vcpu[n];

	return !vcpu->blind && model_is_sure(irq) && model_is_pending(irq) &&
	       model_may_deliver(irq) && irq->target == n && !irq->active &&
	       (vcpu->groups >> irq->group1 & 1) && irq->priority < (vcpu->mask & PRIORITY_BITS);
}

/* Return the priority of the most urgent interrupt that must be signalled, or MODEL_IDLE. */
static unsigned best(unsigned n)
{
	const struct model_vcpu *vcpu = &model.vcpu[n];
	unsigned priority = MODEL_IDLE;

	for (unsigned i = 0; i < MODEL_INTIDS; i++) {
		const struct model_irq *irq = model_irq(n, model_intids[i]);

		if (may_be_signalled(n, irq) && irq->priority < priority)
			priority = irq->priority;
	}
	return group_priority(vcpu, priority) < running(vcpu) ? priority : MODEL_IDLE;
}

bool model_signals(unsigned n)
{
	return best(n) != MODEL_IDLE;
}

static const char *wrong_ack(unsigned n, unsigned intid, unsigned source)
{
	const struct model_vcpu *vcpu = &model.vcpu[n];
	const struct model_irq *irq = model_irq(n, intid);
	unsigned seen = vcpu->seen[intid];

	if (intid < GIC_SGI_COUNT && !(vcpu->seen_from[intid] >> source & 1))
		return "acknowledged an SGI that this vCPU did not send";
	if (!(seen & PENDING))
		return "acknowledged an interrupt that is not pending";
	if (!(seen & ENABLED) || !(seen & GROUP_ON))
		return "acknowledged an interrupt that is disabled";
	if (!(vcpu->groups >> irq->group1 & 1))
		return "acknowledged an interrupt of a group that is off";
	if (!(seen & TARGETED))
		return "acknowledged an interrupt of another vCPU's";
	if (!(seen & INACTIVE) || (irq->active && irq->acked))
		return "acknowledged an interrupt that is active";
	if (model.count == 1 && irq->forwarded && !irq->accepted)
		return "acknowledged what was not forwarded";
	if (!vcpu->blind &&
	    (irq->priority > best(n) || (model.count == 1 && irq->priority != best(n))))
		return "acknowledged an interrupt before a more urgent one";
	return NULL;
}

/* The interrupt is no longer pending. That is certain (`sure`) only if every core has looked. */
static void consume(struct model_irq *irq, unsigned source, bool sure)
{
	bool unsure = model_may_be_pending(irq) && !sure;

	if (irq->sources | irq->maybe_from) {
		irq->sources &= (uint8_t)~BIT(source);
		irq->maybe_from &= (uint8_t)~BIT(source);
		irq->maybe_from |= (uint8_t)(unsure ? BIT(source) : 0);
		return;
	}
	irq->maybe = (irq->maybe && irq->forwarded) ||
		     (unsure && (irq->pending_latch || irq->accepted || irq->maybe));
	if (!irq->forwarded || unsure)
		irq->pending_latch = false;
	irq->accepted = false; /* a later edge counts anew */
}

/* Forget that vCPUs saw the interrupt pending, except a vCPU that saw its line high: a core that
 * has not looked since the line fell signals the interrupt again. */
static void forget_pending(unsigned n, unsigned intid)
{
	for (unsigned i = 0; i < model.count; i++)
		if ((i == n || intid >= GIC_PRIVATE_COUNT) && !model.vcpu[i].seen_high[intid])
			model.vcpu[i].seen[intid] &= (uint8_t)~PENDING;
}

const char *model_ack(unsigned n, uint32_t iar, unsigned running_since)
{
	struct model_vcpu *vcpu = &model.vcpu[n];
	struct model_irq *irq = model_irq(n, gic_intid(iar) % VIRQ_COUNT);
	bool known = model.count == 1 || (model_is_sure(irq) && !vcpu->blind);
	const char *wrong;

	if (gic_intid(iar) == GIC_SPURIOUS)
		return model_signals(n) ? "acknowledged nothing though something is pending" : NULL;
	if (gic_intid(iar) >= VIRQ_COUNT || !vcpu->seen[gic_intid(iar)])
		return "acknowledged an unknown interrupt";
	wrong = wrong_ack(n, gic_intid(iar), gic_source(iar));
	if (wrong)
		return wrong;
	consume(irq, gic_source(iar), known);
	irq->active = irq->acked = true;
	irq->acked_from = (uint8_t)gic_source(iar);
	irq->owner = (uint8_t)n;
	vcpu->iar[vcpu->depth++] = iar;
	vcpu->level[vcpu->level_count++] =
		(uint16_t)(known ? group_priority(vcpu, irq->priority) : running_since);
	vcpu->seen_from[gic_intid(iar)] &= (uint8_t)~BIT(gic_source(iar));
	forget_pending(n, gic_intid(iar));
	return NULL;
}

uint32_t model_eoi(unsigned n, unsigned nth)
{
	struct model_vcpu *vcpu = &model.vcpu[n];
	unsigned at = vcpu->depth - 1 - nth;
	uint32_t iar = vcpu->iar[at];
	struct model_irq *irq = model_irq(n, gic_intid(iar));

	vcpu->depth--;
	vcpu->level_count--;
	memmove(&vcpu->iar[at], &vcpu->iar[at + 1], (vcpu->depth - at) * sizeof(iar));
	if (!model.split_eoi && irq->active && irq->owner == n)
		model_deactivate(irq);
	return iar;
}

bool model_is_running(unsigned n, unsigned intid)
{
	for (unsigned i = 0; i < model.vcpu[n].depth; i++)
		if (gic_intid(model.vcpu[n].iar[i]) == intid)
			return true;
	return false;
}

/* While the interrupt is pending by its line the model learns nothing. */
void model_adopt(struct model_irq *irq, bool pending, unsigned sources)
{
	irq->sources |= (uint8_t)(sources & irq->maybe_from);
	irq->maybe_from = 0;
	if (!irq->maybe || model_is_pending(irq))
		return;
	irq->maybe = false;
	irq->pending_latch = pending;
}
