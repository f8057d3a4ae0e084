/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/smp_model.h"

#include <stddef.h>
#include <string.h>

#include "lib/bits.h"
#include "tests/unit/fake/fake_hyp.h"

#define IDLE_PRIORITY 0x100u
#define PRIORITY_BITS 0xf8u

/* Conditions of an acknowledge */
#define PENDING 1u
#define ENABLED 2u
#define TARGETED 4u
#define INACTIVE 8u
#define GROUP_ON 16u

/* SGIs, a PPI; SPIs of emulated devices; physical ones */
const uint8_t smp_intids[SMP_SLOTS] = { 0, 1, 9, 20, 32, 33, 40, 96, 97, 98 };

struct smp_model smp_model;

struct smp_irq *smp_model_irq(unsigned n, unsigned slot)
{
	return slot < SMP_PRIVATE ? &smp_model.vcpu[n].private[slot]
				  : &smp_model.spi[slot - SMP_PRIVATE];
}

static void boot_irq(struct smp_irq *irq, unsigned intid, unsigned n)
{
	*irq = (struct smp_irq){ .priority = 0xa0, .enabled = true };
	irq->edge = intid < GIC_SGI_COUNT;
	irq->forwarded = intid >= FAKE_SPI_FIRST;
	irq->target = irq->holder = (uint8_t)n;
	irq->holders = (uint8_t)BIT(n);
}

void smp_model_boot(unsigned count, bool split_eoi)
{
	memset(&smp_model, 0, sizeof(smp_model));
	smp_model.count = count;
	smp_model.split_eoi = split_eoi;
	smp_model.dist_groups = 3;
	for (unsigned n = 0; n < count; n++) {
		smp_model.vcpu[n].groups = 3;
		smp_model.vcpu[n].mask = 0xff;
		smp_model.vcpu[n].running = IDLE_PRIORITY;
		for (unsigned slot = 0; slot < SMP_PRIVATE; slot++)
			boot_irq(smp_model_irq(n, slot), smp_intids[slot], n);
	}
	for (unsigned slot = SMP_PRIVATE; slot < SMP_SLOTS; slot++)
		boot_irq(smp_model_irq(0, slot), smp_intids[slot], 0);
	smp_model_look();
}

bool smp_model_is_sure(const struct smp_irq *irq)
{
	for (unsigned n = 0; n < smp_model.count; n++)
		if (smp_model.vcpu[n].blind && irq->holders >> n & 1)
			return false;
	return true;
}

static bool may_deliver(const struct smp_irq *irq)
{
	return irq->enabled && (smp_model.dist_groups >> irq->group1 & 1);
}

bool smp_model_is_pending(const struct smp_irq *irq)
{
	return irq->pending_latch || irq->accepted || (irq->line && !irq->edge) || irq->sources;
}

bool smp_model_may_be_pending(const struct smp_irq *irq)
{
	return smp_model_is_pending(irq) || irq->maybe || irq->maybe_from;
}

/* --- acts --- */

void smp_model_pend(struct smp_irq *irq)
{
	if (irq->accepted)
		return;
	irq->maybe |= irq->forwarded && irq->pending_latch && !smp_model_is_sure(irq);
	irq->pending_latch = true;
}

void smp_model_unpend(struct smp_irq *irq)
{
	irq->pending_latch = irq->accepted = irq->maybe = false;
}

void smp_model_line(struct smp_irq *irq, bool high)
{
	irq->pending_latch |= irq->edge && high && !irq->line;
	irq->line = high;
}

/* Forwarded: what the vGIC had is pending at the physical GIC again. */
void smp_model_release(struct smp_irq *irq)
{
	if (irq->accepted)
		irq->maybe |= irq->pending_latch && !smp_model_is_sure(irq);
	if (irq->accepted)
		irq->pending_latch = true;
	else if (irq->forwarded && !smp_model_is_sure(irq) && smp_model_is_pending(irq))
		irq->maybe = true;
	irq->accepted = false;
}

void smp_model_target(struct smp_irq *irq, unsigned target)
{
	if (irq->target != target && (!irq->active || target == SMP_NOBODY))
		smp_model_release(irq);
	irq->target = (uint8_t)target;
	if (target != SMP_NOBODY)
		irq->holders |= (uint8_t)BIT(target);
}

void smp_model_activate(unsigned n, struct smp_irq *irq)
{
	if (irq->active)
		return;
	smp_model_release(irq);
	irq->active = true;
	irq->acked = false;
	irq->owner = (uint8_t)n;
}

void smp_model_deactivate(struct smp_irq *irq)
{
	irq->active = irq->acked = false;
}

/* --- looking --- */

static void settle(struct smp_irq *irq)
{
	if (!smp_model_is_sure(irq))
		return;
	if (!irq->active && (!may_deliver(irq) || irq->target == SMP_NOBODY))
		smp_model_release(irq);
	if (irq->active)
		irq->holder = irq->owner;
	else if (irq->target != SMP_NOBODY)
		irq->holder = irq->target;
	else
		return; /* at one of those that were its targets */
	irq->holders =
		(uint8_t)(BIT(irq->holder) | (irq->target != SMP_NOBODY ? BIT(irq->target) : 0));
	if (!irq->forwarded || irq->accepted || irq->active || !may_deliver(irq) ||
	    irq->target == SMP_NOBODY)
		return;
	irq->accepted = irq->pending_latch || (irq->line && !irq->edge);
	irq->pending_latch = false;
}

/* One that was active when its target changed is still here until its core has seen its end. */
static unsigned conditions(unsigned n, const struct smp_irq *irq)
{
	bool here = irq->target == n || (irq->holder == n && smp_model.vcpu[n].blind);

	return (smp_model_may_be_pending(irq) ? PENDING : 0) | (irq->enabled ? ENABLED : 0) |
	       (smp_model.dist_groups >> irq->group1 & 1 ? GROUP_ON : 0) | (here ? TARGETED : 0) |
	       (irq->active ? 0 : INACTIVE);
}

static void note(unsigned n)
{
	struct smp_vcpu *vcpu = &smp_model.vcpu[n];

	for (unsigned slot = 0; slot < SMP_SLOTS; slot++) {
		const struct smp_irq *irq = smp_model_irq(n, slot);

		if (!vcpu->blind) {
			vcpu->seen[slot] = vcpu->seen_from[slot] = 0;
			vcpu->seen_high[slot] = false;
		}
		vcpu->seen_high[slot] |= irq->line && !irq->edge && !irq->forwarded;
		vcpu->seen[slot] |= (uint8_t)conditions(n, irq);
		vcpu->seen_from[slot] |= irq->sources | irq->maybe_from;
	}
}

void smp_model_look(void)
{
	for (unsigned slot = SMP_PRIVATE; slot < SMP_SLOTS; slot++)
		settle(smp_model_irq(0, slot));
	for (unsigned n = 0; n < smp_model.count; n++)
		note(n);
}

/* --- the CPU interface --- */

static bool must_be_signalled(unsigned n, const struct smp_irq *irq)
{
	const struct smp_vcpu *vcpu = &smp_model.vcpu[n];

	return !vcpu->blind && smp_model_is_sure(irq) && smp_model_is_pending(irq) &&
	       may_deliver(irq) && irq->target == n && !irq->active &&
	       (vcpu->groups >> irq->group1 & 1) && irq->priority < (vcpu->mask & PRIORITY_BITS) &&
	       irq->priority < vcpu->running;
}

static unsigned best(unsigned n)
{
	unsigned priority = IDLE_PRIORITY;

	for (unsigned slot = 0; slot < SMP_SLOTS; slot++) {
		const struct smp_irq *irq = smp_model_irq(n, slot);

		if (must_be_signalled(n, irq) && irq->priority < priority)
			priority = irq->priority;
	}
	return priority;
}

static const char *wrong_ack(unsigned n, unsigned slot, unsigned source)
{
	const struct smp_vcpu *vcpu = &smp_model.vcpu[n];
	const struct smp_irq *irq = smp_model_irq(n, slot);

	if (smp_intids[slot] < GIC_SGI_COUNT && !(vcpu->seen_from[slot] >> source & 1))
		return "acknowledged an SGI that this vCPU did not send";
	if (!(vcpu->seen[slot] & PENDING))
		return "acknowledged an interrupt that is not pending";
	if (!(vcpu->seen[slot] & ENABLED) || !(vcpu->seen[slot] & GROUP_ON))
		return "acknowledged an interrupt that is disabled";
	if (!(vcpu->seen[slot] & TARGETED))
		return "acknowledged an interrupt of another vCPU's";
	if (!(vcpu->seen[slot] & INACTIVE) || (irq->active && irq->acked))
		return "acknowledged an interrupt that is active";
	if (!vcpu->blind && irq->priority > best(n))
		return "acknowledged an interrupt before a more urgent one";
	return NULL;
}

/* No longer pending: for certain where every core has looked. */
static void consume(struct smp_irq *irq, unsigned source, bool sure)
{
	bool unsure = smp_model_may_be_pending(irq) && !sure;

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
	irq->accepted = false;
}

const char *smp_model_ack(unsigned n, uint32_t iar)
{
	struct smp_vcpu *vcpu = &smp_model.vcpu[n];
	const char *wrong;
	struct smp_irq *irq;
	unsigned slot = 0;

	if (gic_intid(iar) == GIC_SPURIOUS)
		return best(n) != IDLE_PRIORITY ? "acknowledged nothing though something is pending"
						: NULL;
	while (slot < SMP_SLOTS && smp_intids[slot] != gic_intid(iar))
		slot++;
	if (slot == SMP_SLOTS)
		return "acknowledged an unknown interrupt";
	wrong = wrong_ack(n, slot, gic_source(iar));
	if (wrong)
		return wrong;
	irq = smp_model_irq(n, slot);
	consume(irq, gic_source(iar), smp_model_is_sure(irq) && !vcpu->blind);
	irq->active = irq->acked = true;
	irq->acked_from = (uint8_t)gic_source(iar);
	irq->owner = (uint8_t)n;
	vcpu->iar[vcpu->depth++] = iar;
	vcpu->seen_from[slot] &= (uint8_t)~BIT(gic_source(iar));
	/* A core that has not looked since the line fell signals the interrupt again. */
	for (unsigned i = 0; i < smp_model.count; i++)
		if ((i == n || slot >= SMP_PRIVATE) && !smp_model.vcpu[i].seen_high[slot])
			smp_model.vcpu[i].seen[slot] &= (uint8_t)~PENDING;
	return NULL;
}

uint32_t smp_model_eoi(unsigned n)
{
	struct smp_vcpu *vcpu = &smp_model.vcpu[n];
	uint32_t iar = vcpu->iar[--vcpu->depth];

	for (unsigned slot = 0; slot < SMP_SLOTS && !smp_model.split_eoi; slot++) {
		struct smp_irq *irq = smp_model_irq(n, slot);

		if (smp_intids[slot] == gic_intid(iar) && irq->active && irq->owner == n)
			smp_model_deactivate(irq);
	}
	return iar;
}

bool smp_model_is_running(unsigned n, unsigned intid)
{
	for (unsigned i = 0; i < smp_model.vcpu[n].depth; i++)
		if (gic_intid(smp_model.vcpu[n].iar[i]) == intid)
			return true;
	return false;
}

/* Where its line makes it pending, nothing is learnt. */
void smp_model_adopt(struct smp_irq *irq, bool pending, unsigned sources)
{
	irq->sources |= (uint8_t)(sources & irq->maybe_from);
	irq->maybe_from = 0;
	if (!irq->maybe || smp_model_is_pending(irq))
		return;
	irq->maybe = false;
	irq->pending_latch = pending;
}
