/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt states of the fake GIC, see fake_gic.h. */
#include "tests/unit/fake/fake_gic.h"

#include <string.h>

#include "lib/bits.h"
#include "tests/unit/fake/fake_gic_model.h"

#define IDLE_PRIORITY 0x100u
#define PRIORITY_BITS 0xf8u /* 5 bits, as a list register has */

/* GICH_HCR, IHI 0048B 5.3.1; ICH_HCR_EL2, IHI 0069 12.4.7. The enable bits have the places of
 * GICH_MISR's reasons, except for bit 0. */
#define HCR_EN BIT(0)
#define HCR_TDIR BIT(14)      /* GICv3: the guest's writes to DIR trap */
#define HCR_EOI_COUNT BIT(27) /* one unit of EOIcount, which wraps after 31 */
#define MISR_EOI BIT(0)
#define MISR_U BIT(1)     /* at most one list register is valid */
#define MISR_LRENP BIT(2) /* EOIcount is not 0 */
#define MISR_NP BIT(3)    /* no list register is pending */
#define MISR_GROUP_ON(group) BIT(4 + 2 * (group))
#define MISR_GROUP_OFF(group) BIT(5 + 2 * (group))

struct fake_gic fake_gic;
static const char *violation;

void fake_gic_broken(const char *rule)
{
	if (!violation)
		violation = rule;
}

const char *fake_gic_violation(void)
{
	const char *first = violation;

	violation = NULL;
	return first;
}

/* --- list registers, decoded by the manuals and not by the driver's functions --- */

static unsigned bits(uint64_t value, unsigned high, unsigned low)
{
	return (unsigned)(value >> low & ((2ull << (high - low)) - 1));
}

/* GICH_LR, IHI 0048B 5.3.8 */
static struct gic_lr decode_v2(uint64_t v)
{
	struct gic_lr lr = {
		.vintid = bits(v, 9, 0),
		.state = (enum gic_lr_state)bits(v, 29, 28),
		.priority = (uint8_t)(bits(v, 27, 23) << 3),
		.group1 = bits(v, 30, 30),
		.hw = bits(v, 31, 31),
	};

	if (lr.hw) {
		lr.pintid = bits(v, 19, 10);
	} else {
		lr.eoi_irq = bits(v, 19, 19);
		lr.source = bits(v, 12, 10);
	}
	if (bits(v, 22, 20) || (lr.source && lr.vintid >= GIC_SGI_COUNT))
		fake_gic_broken("a list register has bits that the guest cannot see");
	return lr;
}

/* ICH_LR<n>_EL2, IHI 0069 12.4.8 */
static struct gic_lr decode_v3(uint64_t v)
{
	struct gic_lr lr = {
		.vintid = bits(v, 31, 0),
		.state = (enum gic_lr_state)bits(v, 63, 62),
		.priority = (uint8_t)(bits(v, 55, 48) & PRIORITY_BITS),
		.group1 = bits(v, 60, 60),
		.hw = bits(v, 61, 61),
	};

	if (lr.hw)
		lr.pintid = bits(v, 44, 32);
	else
		lr.eoi_irq = bits(v, 41, 41);
	return lr;
}

static struct gic_lr decode(uint64_t value)
{
	return gic_version() == 2 ? decode_v2(value) : decode_v3(value);
}

static void set_state(unsigned i, enum gic_lr_state state)
{
	unsigned shift = gic_version() == 2 ? 28 : 62;

	fake_gic.lr[i] = (fake_gic.lr[i] & ~(3ull << shift)) | (uint64_t)state << shift;
}

static enum gic_lr_state state_of(unsigned i)
{
	return decode(fake_gic.lr[i]).state;
}

/* --- priorities --- */

static unsigned running(const struct fake_interface *interface)
{
	uint32_t active = interface->active_prio[0] | interface->active_prio[1];

	return active ? bit_lowest(active) << 3 : IDLE_PRIORITY;
}

/* GICv3 keeps the active priorities of the two groups apart. */
static void raise_priority(struct fake_interface *interface, unsigned priority, bool group1)
{
	interface->active_prio[gic_version() > 2 && group1] |= BIT(priority >> 3);
}

/* Return the priority without the bits that the binary point leaves out (IHI 0048B 3.3.3, IHI 0069
 * 4.8.3). */
static unsigned group_priority(const struct fake_interface *interface, unsigned priority,
			       bool group1)
{
	unsigned subpriority =
		group1 && !interface->common_point ? interface->point[1] : interface->point[0] + 1u;

	return priority >> subpriority << subpriority;
}

static bool may_signal(const struct fake_interface *interface, unsigned priority, bool group1)
{
	return priority < (interface->mask & PRIORITY_BITS) &&
	       group_priority(interface, priority, group1) < running(interface);
}

static void drop_priority(struct fake_interface *interface, const char *otherwise)
{
	uint32_t highest = BIT(running(interface) >> 3 & 31);

	if (running(interface) == IDLE_PRIORITY)
		fake_gic_broken(otherwise);
	interface->active_prio[0] &= ~highest;
	interface->active_prio[1] &= ~highest;
}

/* --- the physical side --- */

bool fake_gic_pending(unsigned intid)
{
	const struct fake_irq *irq = &fake_gic.irq[intid];

	return irq->pending_latch || (irq->line && !irq->edge) ||
	       (intid == FAKE_GIC_MAINTENANCE && fake_gic_maintenance());
}

static unsigned best_physical(void)
{
	unsigned best = GIC_SPURIOUS;
	unsigned priority = IDLE_PRIORITY;

	for (unsigned i = 0; i < FAKE_GIC_INTIDS; i++) {
		const struct fake_irq *irq = &fake_gic.irq[i];

		if (irq->enabled && !irq->active && fake_gic_routed_here(i) &&
		    fake_gic_pending(i) && irq->priority < priority) {
			best = i;
			priority = irq->priority;
		}
	}
	if (!fake_gic.dist_enabled || !fake_gic.cpu.groups ||
	    !may_signal(&fake_gic.cpu, priority, true))
		return GIC_SPURIOUS;
	return best;
}

bool fake_gic_irq(void)
{
	return best_physical() != GIC_SPURIOUS;
}

uint32_t fake_gic_ack(void)
{
	unsigned intid = best_physical();

	if (intid == GIC_SPURIOUS)
		return intid;
	fake_gic.irq[intid].active = true;
	fake_gic.irq[intid].pending_latch = false;
	raise_priority(&fake_gic.cpu, fake_gic.irq[intid].priority, true);
	return intid;
}

static void deactivate(unsigned intid)
{
	struct fake_irq *irq = &fake_gic.irq[intid];

	if (!irq->active)
		fake_gic_broken("deactivated what is not active");
	irq->active = false;
	irq->deactivations++;
}

void fake_gic_deactivate(uint32_t iar)
{
	if (!fake_gic.cpu.split_eoi)
		fake_gic_broken("DIR without EOImode");
	deactivate(gic_intid(iar) % FAKE_GIC_INTIDS);
}

void fake_gic_eoi(uint32_t iar)
{
	drop_priority(&fake_gic.cpu, "an EOI without an acknowledge");
	if (!fake_gic.cpu.split_eoi)
		deactivate(gic_intid(iar) % FAKE_GIC_INTIDS);
}

void fake_gic_line(unsigned intid, bool high)
{
	struct fake_irq *irq = &fake_gic.irq[intid];

	irq->pending_latch |= irq->edge && high && !irq->line;
	irq->line = high;
}

unsigned fake_gic_deactivations(unsigned intid)
{
	return fake_gic.irq[intid].deactivations;
}

/* --- list registers and the maintenance interrupt --- */

static uint32_t ended(unsigned i)
{
	struct gic_lr lr = decode(fake_gic.lr[i]);

	return lr.state == GIC_LR_INVALID && !lr.hw && lr.eoi_irq ? BIT(i) : 0;
}

uint32_t fake_gic_eisr(void)
{
	uint32_t set = 0;

	for (unsigned i = 0; i < fake_gic.lr_count; i++)
		set |= ended(i);
	return set;
}

/* A list register whose interrupt ended and asked for a maintenance interrupt is not yet empty. */
uint32_t fake_gic_elrsr(void)
{
	uint32_t set = 0;

	for (unsigned i = 0; i < fake_gic.lr_count; i++)
		if (state_of(i) == GIC_LR_INVALID && !ended(i))
			set |= BIT(i);
	return set;
}

uint32_t fake_gic_misr(void)
{
	uint32_t reasons = fake_gic.hcr >= HCR_EOI_COUNT ? MISR_LRENP : 0;
	unsigned valid = 0;
	unsigned pending = 0;

	for (unsigned i = 0; i < fake_gic.lr_count; i++) {
		valid += state_of(i) != GIC_LR_INVALID;
		pending += state_of(i) == GIC_LR_PENDING;
	}
	reasons |= (valid <= 1 ? MISR_U : 0) | (pending == 0 ? MISR_NP : 0);
	for (unsigned group = 0; group < 2; group++)
		reasons |= fake_gic.guest.groups >> group & 1 ? MISR_GROUP_ON(group)
							      : MISR_GROUP_OFF(group);
	if (gic_version() > 2 && !(fake_gic.guest.groups & 2))
		reasons |= MISR_GROUP_OFF(0); /* as QEMU does, whatever Group 0's enable is */
	return (reasons & fake_gic.hcr & ~MISR_EOI) | (fake_gic_eisr() ? MISR_EOI : 0);
}

bool fake_gic_maintenance(void)
{
	return fake_gic.hcr & HCR_EN && fake_gic_misr();
}

static bool switching; /* a VM switch is under way, see fake_gic_switch() */

static void check_link(const struct gic_lr *lr)
{
	if (lr->hw && !fake_gic.irq[lr->pintid % FAKE_GIC_INTIDS].active)
		fake_gic_broken("a list register is linked to what is not active");
}

void fake_gic_switch(bool begins)
{
	switching = begins;
	for (unsigned i = 0; !begins && i < fake_gic.lr_count; i++)
		if (state_of(i) != GIC_LR_INVALID) {
			struct gic_lr lr = decode(fake_gic.lr[i]);

			check_link(&lr);
		}
}

static void check_lr(unsigned i, const struct gic_lr *new)
{
	struct gic_lr old = decode(fake_gic.lr[i]);

	if (new->state == GIC_LR_INVALID)
		return;
	if (old.state != GIC_LR_INVALID && old.vintid != new->vintid)
		fake_gic_broken("a valid list register is overwritten");
	if (ended(i))
		fake_gic_broken("an ended interrupt is overwritten before it was seen");
	for (unsigned other = 0; other < fake_gic.lr_count; other++)
		if (other != i && state_of(other) != GIC_LR_INVALID &&
		    decode(fake_gic.lr[other]).vintid == new->vintid)
			fake_gic_broken("one interrupt stands in two list registers");
	if (new->hw &&new->state == GIC_LR_PENDING_ACTIVE)
		fake_gic_broken("a linked interrupt is pending and active in a list register");
	if (!switching)
		check_link(new);
}

void fake_gic_write_lr(unsigned i, uint64_t value)
{
	struct gic_lr new = decode(value);

	if (i >= fake_gic.lr_count) {
		fake_gic_broken("a list register that is not there");
		return;
	}
	check_lr(i, &new);
	fake_gic.lr[i] = value;
}

/* --- the guest's CPU interface --- */

static unsigned best_virtual(void)
{
	unsigned best = GIC_LR_MAX;
	unsigned priority = IDLE_PRIORITY;
	bool group1 = false;

	for (unsigned i = 0; i < fake_gic.lr_count; i++) {
		struct gic_lr lr = decode(fake_gic.lr[i]);

		if (lr.state == GIC_LR_PENDING && lr.priority < priority &&
		    (fake_gic.guest.groups >> lr.group1 & 1)) {
			best = i;
			priority = lr.priority;
			group1 = lr.group1;
		}
	}
	if (!(fake_gic.hcr & HCR_EN) || !may_signal(&fake_gic.guest, priority, group1))
		return GIC_LR_MAX;
	return best;
}

void fake_gic_guest_init(bool split_eoi)
{
	fake_gic.guest.groups = 3;
	fake_gic.guest.split_eoi = split_eoi;
	fake_gic.guest.mask = 0xff;
	fake_gic.guest.point[0] = 2; /* all priority bits preempt */
	fake_gic.guest.point[1] = 3;
}

bool fake_gic_virq(void)
{
	return best_virtual() != GIC_LR_MAX;
}

uint32_t fake_gic_guest_ack(void)
{
	unsigned i = best_virtual();
	struct gic_lr lr;

	if (i == GIC_LR_MAX)
		return GIC_SPURIOUS;
	lr = decode(fake_gic.lr[i]);
	set_state(i, GIC_LR_ACTIVE);
	fake_gic.acked_group1 = lr.group1;
	raise_priority(&fake_gic.guest, group_priority(&fake_gic.guest, lr.priority, lr.group1),
		       lr.group1);
	return lr.vintid | lr.source << 10;
}

/* Return the list register in which the interrupt is active, or GIC_LR_MAX. */
static unsigned find_active(uint32_t iar)
{
	for (unsigned i = 0; i < fake_gic.lr_count; i++) {
		struct gic_lr lr = decode(fake_gic.lr[i]);

		if (lr.state & GIC_LR_ACTIVE && lr.vintid == gic_intid(iar) &&
		    lr.source == gic_source(iar))
			return i;
	}
	return GIC_LR_MAX;
}

/* The end of an interrupt that is active in no list register is counted. */
static void end_virtual(uint32_t iar)
{
	unsigned i = find_active(iar);
	struct gic_lr lr;

	if (i == GIC_LR_MAX) {
		fake_gic.hcr += HCR_EOI_COUNT;
		return;
	}
	lr = decode(fake_gic.lr[i]);
	set_state(i, lr.state & GIC_LR_PENDING ? GIC_LR_PENDING : GIC_LR_INVALID);
	if (lr.hw)
		deactivate(lr.pintid % FAKE_GIC_INTIDS);
}

bool fake_gic_guest_deactivate_traps(void)
{
	return gic_version() > 2 && fake_gic.hcr & HCR_TDIR;
}

void fake_gic_guest_deactivate(uint32_t iar)
{
	if (!fake_gic.guest.split_eoi)
		fake_gic_broken("the guest writes to DIR without EOImode");
	end_virtual(iar);
}

void fake_gic_guest_eoi(uint32_t iar)
{
	drop_priority(&fake_gic.guest, "the guest ended what it did not acknowledge");
	if (!fake_gic.guest.split_eoi)
		end_virtual(iar);
	else if (gic_version() > 2 && find_active(iar) == GIC_LR_MAX)
		fake_gic.hcr += HCR_EOI_COUNT; /* as QEMU does in either EOI mode */
}

void fake_gic_reset(unsigned lr_count)
{
	memset(&fake_gic, 0, sizeof(fake_gic));
	fake_gic.lr_count = lr_count;
	fake_gic.has_tdir = true;
	for (unsigned i = GIC_PRIVATE_COUNT; i < FAKE_GIC_INTIDS; i++)
		fake_gic.irq[i].route = FAKE_GIC_NOWHERE;
	fake_gic.this_core = 4;
	violation = NULL;
	fake_gic_hook_registers();
}
