/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/smp_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "lib/bits.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/smp_model.h"
#include "tests/unit/unit.h"

#define LATE_MAX 12u
#define IDLE_PRIORITY 0x100u

struct smp_seen smp_seen;
static unsigned late[VCPU_MAX];      /* steps until the core looks */
static unsigned late_last[VCPU_MAX]; /* what it looks at last */

static unsigned intid_of(const struct smp_step *step)
{
	return smp_intids[step->slot];
}

static bool is_private(const struct smp_step *step)
{
	return step->slot < SMP_PRIVATE;
}

static bool is_sgi(unsigned intid)
{
	return intid < GIC_SGI_COUNT;
}

static bool any_late(void)
{
	for (unsigned n = 0; n < smp_model.count; n++)
		if (smp_model.vcpu[n].blind)
			return true;
	return false;
}

/* --- registers: vCPU n's access, to the private interrupts of `owner` --- */

static void write_bank(unsigned n, unsigned owner, uint32_t offset, bool private, unsigned size,
		       uint64_t value)
{
	if (private && gic_version() == 3)
		redist_write(n, owner * VGICR_SIZE + GICR_SGI_OFFSET + offset, size, value);
	else
		dist_write(n, offset, size, value);
}

static uint64_t read_bank(unsigned n, unsigned owner, uint32_t offset, bool private, unsigned size)
{
	if (private && gic_version() == 3)
		return redist_read(n, owner * VGICR_SIZE + GICR_SGI_OFFSET + offset, size);
	return dist_read(n, offset, size);
}

static void write_bit(const struct smp_step *step, unsigned owner, uint32_t bank)
{
	unsigned intid = intid_of(step);

	write_bank(step->n, owner, bank + intid / 32 * 4, is_private(step), 4, 1u << intid % 32);
}

/* Whose private interrupt a step is about: any vCPU's where the GIC has it so. */
static unsigned owner_of(const struct smp_step *step)
{
	return gic_version() == 3 && is_private(step) ? step->arg % smp_model.count : step->n;
}

/* --- acts --- */

static bool has_virq(unsigned n)
{
	cores_on(n);
	return cores_is_loaded(n) && fake_gic_virq();
}

static bool has_acked(unsigned n)
{
	return cores_is_loaded(n) && smp_model.vcpu[n].depth;
}

/* Mostly vCPU n or the next one for which a step is something. */
static unsigned next_with(const struct smp_step *step, bool (*has)(unsigned n))
{
	unsigned n = step->n;

	for (unsigned i = 0; step->arg % 4 && i < smp_model.count && !has(n); i++)
		n = (n + 1) % smp_model.count;
	return n;
}

static const char *do_ack(unsigned n)
{
	struct smp_vcpu *vcpu = &smp_model.vcpu[n];
	uint32_t iar = cpu_ack(n);
	const char *wrong = smp_model_ack(n, iar);

	if (gic_intid(iar) < VIRQ_COUNT) {
		smp_seen.acks++;
		smp_seen.late_acks += vcpu->blind;
	}
	return wrong;
}

static void do_eoi(unsigned n)
{
	if (smp_model.vcpu[n].depth)
		cpu_eoi(n, smp_model_eoi(n));
}

static void do_dir(unsigned n, unsigned first)
{
	for (unsigned i = 0; smp_model.split_eoi && i < SMP_SLOTS; i++) {
		unsigned slot = (first + i) % SMP_SLOTS;
		struct smp_irq *irq = smp_model_irq(n, slot);

		/* Of an SGI the source is of the essence: a second one may be another's. */
		if (!irq->active || irq->owner != n || !irq->acked ||
		    smp_model_is_running(n, smp_intids[slot]))
			continue;
		smp_model_deactivate(irq);
		cpu_deactivate(n, smp_intids[slot] | (uint32_t)irq->acked_from << 10);
		return;
	}
}

static void do_sgi(const struct smp_step *step)
{
	unsigned targets = step->arg & (BIT(smp_model.count) - 1);
	unsigned source = gic_version() == 2 ? step->n : 0;

	if (!is_sgi(intid_of(step)))
		return;
	for (unsigned n = 0; n < smp_model.count; n++)
		if (targets >> n & 1)
			smp_model_irq(n, step->slot)->sources |= (uint8_t)BIT(source);
	if (gic_version() == 2)
		dist_write(step->n, GICD_SGIR, 4, targets << 16 | intid_of(step));
	else
		sgi1r_write(step->n, (uint64_t)intid_of(step) << 24 | targets);
}

/* What comes from a device after ICPENDR is not cleared: a kick has a higher priority than it. */
static void kicks_come_first(void)
{
	for (unsigned n = 0; n < smp_model.count; n++)
		late_last[n] = FAKE_GIC_MAINTENANCE;
}

static void do_pend(const struct smp_step *step, bool pending)
{
	unsigned owner = owner_of(step);
	struct smp_irq *irq = smp_model_irq(owner, step->slot);

	if (is_sgi(intid_of(step))) {
		if (gic_version() == 2)
			return; /* do_sgi() */
		if (!pending && owner != step->n && smp_model.vcpu[owner].blind)
			return; /* it may also clear what is sent before the core has looked */
		irq->sources = pending;
		irq->maybe_from = 0;
	} else if (pending) {
		smp_model_pend(irq);
	} else {
		smp_model_unpend(irq);
		if (irq->forwarded)
			kicks_come_first();
	}
	write_bit(step, owner, pending ? GICD_ISPENDR : GICD_ICPENDR);
}

#define ROUTE_ANY (1ull << 31)

static void do_target(const struct smp_step *step)
{
	unsigned count = smp_model.count;
	unsigned target = step->arg % (count + 1);
	struct smp_irq *irq = smp_model_irq(0, step->slot);
	bool any = gic_version() == 3 && step->arg >= 0xf0;

	if (is_private(step) || (any && (irq->target == SMP_NOBODY || !smp_model_is_sure(irq))))
		return;
	if (any)
		target = irq->holder;
	smp_seen.moved_pending += smp_model_is_pending(irq) && target < count &&
				  target != irq->holder && !irq->active;
	smp_seen.moved_active += irq->active && target < count && target != irq->holder;
	smp_seen.unrouted += smp_model_is_pending(irq) && target == count;
	smp_model_target(irq, target < count ? target : SMP_NOBODY);
	if (gic_version() == 2)
		dist_write(step->n, GICD_ITARGETSR + intid_of(step), 1,
			   target < count ? BIT(target) : 0);
	else
		dist_write(step->n, GICD_IROUTER + 8 * intid_of(step), 8,
			   any              ? ROUTE_ANY
			   : target < count ? target
					    : 0x100);
}

static void do_line(const struct smp_step *step, bool high)
{
	struct smp_irq *irq = smp_model_irq(0, step->slot);

	if (is_private(step) || (irq->forwarded && !high && !smp_model_is_sure(irq)))
		return;
	smp_model_line(irq, high);
	irq->maybe |= irq->forwarded && high && !smp_model_is_sure(irq);
	if (irq->forwarded) {
		fake_gic_line(intid_of(step), high);
		cores_settle();
	} else {
		cores_on(step->n);
		spi_line(intid_of(step), high);
	}
}

/* `arrives`: n's core takes it, whatever its route is; the vGIC has it then, though its target may
 * not have looked. */
static void do_raise(const struct smp_step *step, bool arrives)
{
	struct smp_irq *irq = smp_model_irq(0, step->slot);

	if (!irq->forwarded || (!smp_model_is_sure(irq) && (irq->holders & (irq->holders - 1))))
		return;
	irq->maybe |= irq->pending_latch && !smp_model_is_sure(irq);
	irq->pending_latch = true;
	if (!arrives || irq->active || irq->accepted) {
		spi_raise(intid_of(step));
	} else if (spi_arrive_at(intid_of(step), step->n)) {
		smp_seen.arrived++;
		irq->accepted = true;
		irq->pending_latch = false;
	}
}

static void do_enable(const struct smp_step *step, bool enabled)
{
	struct smp_irq *irq = smp_model_irq(owner_of(step), step->slot);

	if (is_sgi(intid_of(step)) && gic_version() == 2)
		return;
	if (!enabled)
		smp_model_release(irq);
	irq->enabled = enabled;
	write_bit(step, owner_of(step), enabled ? GICD_ISENABLER : GICD_ICENABLER);
}

static void do_priority(const struct smp_step *step)
{
	smp_model_irq(owner_of(step), step->slot)->priority = step->arg % 30 << 3;
	write_bank(step->n, owner_of(step), GICD_IPRIORITYR + intid_of(step), is_private(step), 1,
		   step->arg % 30 << 3);
}

/* Of a physical one the configuration is the physical one's: while it is disabled. */
static void do_edge(const struct smp_step *step)
{
	struct smp_irq *irq = smp_model_irq(0, step->slot);
	uint32_t offset = GICD_ICFGR + intid_of(step) / 4;
	unsigned shift = intid_of(step) % 4 * 2 + 1;
	bool edge = step->arg & 1;

	if (is_private(step) || irq->forwarded || any_late())
		return;
	irq->edge = edge;
	dist_write(step->n, offset, 1,
		   (dist_read(step->n, offset, 1) & ~(1ull << shift)) | (uint64_t)edge << shift);
}

static void do_active(const struct smp_step *step, bool active)
{
	struct smp_irq *irq = smp_model_irq(owner_of(step), step->slot);

	for (unsigned n = 0; n < smp_model.count; n++)
		if ((!is_private(step) || n == owner_of(step)) &&
		    smp_model_is_running(n, intid_of(step)))
			return;
	if (!smp_model_is_sure(irq) || (irq->holders & (irq->holders - 1)))
		return; /* it may be acknowledged meanwhile, or somewhere else */
	if (!active && !irq->active)
		return;
	if (active)
		smp_model_activate(irq->holder, irq);
	else
		smp_model_deactivate(irq);
	write_bit(step, owner_of(step), active ? GICD_ISACTIVER : GICD_ICACTIVER);
}

static void do_dist(const struct smp_step *step)
{
	unsigned groups = step->arg & 12 ? 3 : step->arg & 3;

	for (unsigned slot = SMP_PRIVATE; slot < SMP_SLOTS; slot++)
		if (!(groups >> smp_model_irq(0, slot)->group1 & 1))
			smp_model_release(smp_model_irq(0, slot));
	smp_model.dist_groups = groups;
	dist_write(step->n, GICD_CTLR, 4, groups);
}

/* What it says is another's, and of another time. */
static void do_read(const struct smp_step *step)
{
	static const uint32_t bank[] = { GICD_ISPENDR, GICD_ISACTIVER, GICD_ISENABLER };

	read_bank(step->n, owner_of(step),
		  bank[step->arg / 16 % ARRAY_SIZE(bank)] + intid_of(step) / 32 * 4,
		  is_private(step), 4);
}

static void do_late(const struct smp_step *step)
{
	if (!smp_model.vcpu[step->n].blind)
		late_last[step->n] = step->arg & 0x80 ? FAKE_GIC_MAINTENANCE : SMP_KICK_SGI;
	smp_model.vcpu[step->n].blind = true;
	late[step->n] = 1 + step->arg % LATE_MAX;
	cores_hold(step->n, true);
}

static void do_put(const struct smp_step *step)
{
	if (smp_model.vcpu[step->n].blind)
		return;
	late_last[step->n] = FAKE_GIC_MAINTENANCE;
	smp_model.vcpu[step->n].blind = true;
	late[step->n] = 1 + step->arg % LATE_MAX;
	cores_load(step->n, false);
}

/* What a vCPU does while it is not loaded: nothing. */
static bool is_possible(const struct smp_step *step)
{
	return cores_is_loaded(step->n) || step->kind == SMP_LINE_HIGH ||
	       step->kind == SMP_LINE_LOW || step->kind == SMP_RAISE || step->kind == SMP_ARRIVE;
}

static const char *do_step(const struct smp_step *step)
{
	switch (step->kind) {
	case SMP_ACK:
		return do_ack(next_with(step, has_virq));
	case SMP_EOI:
		do_eoi(next_with(step, has_acked));
		break;
	case SMP_DIR:
		do_dir(step->n, step->slot);
		break;
	case SMP_LATE:
		do_late(step);
		break;
	case SMP_PUT:
		do_put(step);
		break;
	case SMP_SGI:
		do_sgi(step);
		break;
	case SMP_PEND:
	case SMP_UNPEND:
		do_pend(step, step->kind == SMP_PEND);
		break;
	case SMP_TARGET:
		do_target(step);
		break;
	case SMP_LINE_HIGH:
	case SMP_LINE_LOW:
		do_line(step, step->kind == SMP_LINE_HIGH);
		break;
	case SMP_RAISE:
	case SMP_ARRIVE:
		do_raise(step, step->kind == SMP_ARRIVE);
		break;
	case SMP_ENABLE:
	case SMP_DISABLE:
		do_enable(step, step->kind == SMP_ENABLE);
		break;
	case SMP_PRIORITY:
		do_priority(step);
		break;
	case SMP_EDGE:
		do_edge(step);
		break;
	case SMP_ACTIVATE:
	case SMP_DEACTIVATE:
		do_active(step, step->kind == SMP_ACTIVATE);
		break;
	case SMP_DIST:
		do_dist(step);
		break;
	default:
		do_read(step);
		break;
	}
	return NULL;
}

/* --- comparison: every core has looked --- */

/* What was read of the private interrupts of each vCPU, and of the SPIs, by words. */
enum bank { PENDING, ACTIVE, ENABLED, BANKS };
static const uint32_t bank_offset[BANKS] = { GICD_ISPENDR, GICD_ISACTIVER, GICD_ISENABLER };
static uint32_t private_words[BANKS][VCPU_MAX];
static uint32_t spi_words[BANKS][VIRQ_WORDS];

/* GICv2 has each vCPU's private interrupts for itself alone. */
static void read_words(unsigned reader, enum bank bank)
{
	for (unsigned n = 0; n < smp_model.count; n++)
		private_words[bank][n] = (uint32_t)read_bank(gic_version() == 2 ? n : reader, n,
							     bank_offset[bank], true, 4);
	for (unsigned word = 1; word < VIRQ_WORDS; word += 2) /* those that are in use */
		spi_words[bank][word] =
			(uint32_t)dist_read(reader, bank_offset[bank] + 4 * word, 4);
}

static void read_all(unsigned reader)
{
	for (unsigned bank = 0; bank < BANKS; bank++)
		read_words(reader, (enum bank)bank);
}

static bool field(unsigned n, unsigned slot, enum bank bank)
{
	unsigned intid = smp_intids[slot];

	return (slot < SMP_PRIVATE ? private_words[bank][n] : spi_words[bank][intid / 32]) >>
		       intid % 32 &
	       1;
}

static unsigned read_priority(unsigned n, unsigned owner, unsigned slot)
{
	return (unsigned)read_bank(n, owner, GICD_IPRIORITYR + smp_intids[slot], slot < SMP_PRIVATE,
				   1);
}

static unsigned read_sources(unsigned n, unsigned slot, bool pending)
{
	return gic_version() == 2 ? (unsigned)dist_read(n, GICD_SPENDSGIR + smp_intids[slot], 1)
				  : pending;
}

static const char *compare_pending(struct smp_irq *irq, bool pending, unsigned sources)
{
	if (smp_model_is_pending(irq) && !pending)
		return "ISPENDR: lost";
	if (!smp_model_may_be_pending(irq) && pending)
		return "ISPENDR: pending for no reason";
	if ((irq->sources & ~sources) || (sources & ~(irq->sources | irq->maybe_from)))
		return "SPENDSGIR";
	smp_seen.races += irq->maybe || irq->maybe_from;
	smp_model_adopt(irq, pending, sources);
	return NULL;
}

static const char *compare_irq(unsigned reader, unsigned n, unsigned slot)
{
	struct smp_irq *irq = smp_model_irq(n, slot);
	bool pending = field(n, slot, PENDING);
	bool sgi = is_sgi(smp_intids[slot]);

	smp_seen.many_sources += __builtin_popcount(irq->sources) > 1;
	if (field(n, slot, ENABLED) != irq->enabled)
		return "ISENABLER";
	if (field(n, slot, ACTIVE) != irq->active)
		return "ISACTIVER";
	if (read_priority(reader, n, slot) != irq->priority)
		return "IPRIORITYR";
	return compare_pending(irq, pending, sgi ? read_sources(n, slot, pending) : 0);
}

/* Of a physical interrupt: what the physical GIC gets. */
static const char *compare_physical(unsigned slot)
{
	const struct smp_irq *irq = smp_model_irq(0, slot);
	const struct fake_irq *physical = &fake_gic.irq[smp_intids[slot]];

	if (!irq->forwarded || irq->maybe)
		return NULL;
	if (physical->active != (irq->active || irq->accepted))
		return "active at the physical GIC";
	return physical->pending_latch != irq->pending_latch ? "latched at the physical GIC" : NULL;
}

static const char *compare_private(unsigned reader, unsigned *wrong)
{
	for (unsigned n = 0; n < smp_model.count; n++)
		for (unsigned slot = 0; slot < SMP_PRIVATE; slot++) {
			const char *what = compare_irq(gic_version() == 2 ? n : reader, n, slot);

			if (what) {
				*wrong = smp_intids[slot];
				return what;
			}
		}
	return NULL;
}

static const char *compare_spis(unsigned reader, unsigned *wrong)
{
	for (unsigned slot = SMP_PRIVATE; slot < SMP_SLOTS; slot++) {
		const char *what = compare_irq(reader, 0, slot);

		smp_model_look(); /* by what was adopted */
		if (!what)
			what = compare_physical(slot);
		if (what) {
			*wrong = smp_intids[slot];
			return what;
		}
	}
	return NULL;
}

static const char *compare(unsigned reader, unsigned *wrong)
{
	const char *what;

	for (unsigned n = 0; n < smp_model.count; n++) {
		cores_on(n);
		if (fake_gic_maintenance())
			return "the maintenance line stays high";
	}
	read_all(reader);
	smp_seen.compared++;
	what = compare_private(reader, wrong);
	return what ? what : compare_spis(reader, wrong);
}

/* --- a sequence --- */

static void boot(const struct smp_setup *setup)
{
	cores_boot_as(setup->vcpu_count, setup->lr_count, setup->link_hw, setup->split_eoi);
	smp_model_boot(setup->vcpu_count, setup->split_eoi);
	memset(late, 0, sizeof(late));
	for (unsigned n = 0; n < setup->vcpu_count; n++)
		for (unsigned slot = 0; slot < SMP_SLOTS; slot++) {
			struct smp_step step = { SMP_ENABLE, (uint8_t)n, (uint8_t)slot,
						 (uint8_t)n };

			smp_model_irq(n, slot)->group1 = gic_version() == 3;
			do_enable(&step, true);
			write_bank(n, n, GICD_IPRIORITYR + smp_intids[slot], slot < SMP_PRIVATE, 1,
				   0xa0);
		}
}

/* Each core that has been late for long enough takes what there is. */
static void look(void)
{
	for (unsigned n = 0; n < smp_model.count; n++) {
		if (!smp_model.vcpu[n].blind || --late[n])
			continue;
		cores_load(n, true);
		cores_release(n, late_last[n]);
		smp_model.vcpu[n].blind = false;
	}
	cores_settle();
	smp_model_look();
}

/* Its running priority is what the CPU interface says: what the interrupt had when it was taken. */
static void follow_running(unsigned n)
{
	uint32_t active;

	if (!cores_is_loaded(n))
		return;
	cores_on(n);
	active = fake_gic.guest.active_prio[0] | fake_gic.guest.active_prio[1];
	smp_model.vcpu[n].running = active ? bit_lowest(active) << 3 : IDLE_PRIORITY;
}

struct smp_failure smp_oracle(const struct smp_setup *setup, const struct smp_step *steps,
			      size_t count)
{
	struct smp_failure failure = { NULL, 0, GIC_SPURIOUS };

	boot(setup);
	for (size_t i = 0; i < count; i++) {
		struct smp_step step = steps[i];

		step.n = (uint8_t)(step.n % setup->vcpu_count);
		failure.step = i;
		failure.what = is_possible(&step) ? do_step(&step) : NULL;
		for (unsigned n = 0; n < setup->vcpu_count; n++)
			follow_running(n);
		look();
		if (!failure.what)
			failure.what = fake_gic_violation();
		if (!failure.what && !any_late())
			failure.what = compare((unsigned)i % setup->vcpu_count, &failure.intid);
		if (failure.what)
			return failure;
		if (setup->sabotage)
			setup->sabotage(&step);
	}
	return failure;
}

static bool without(const struct smp_setup *setup, struct smp_step *steps, size_t *count,
		    size_t from, size_t length)
{
	struct smp_step *shorter = malloc(*count * sizeof(*steps));
	size_t rest = *count - from - length;
	struct smp_failure failure;

	memcpy(shorter, steps, from * sizeof(*steps));
	memcpy(shorter + from, steps + from + length, rest * sizeof(*steps));
	failure = smp_oracle(setup, shorter, from + rest);
	if (failure.what) {
		*count = failure.step + 1;
		memcpy(steps, shorter, *count * sizeof(*steps));
	}
	free(shorter);
	return failure.what;
}

size_t smp_shrink(const struct smp_setup *setup, struct smp_step *steps, size_t count)
{
	size_t before;

	do {
		before = count;
		for (size_t length = count / 2; length; length /= 2)
			for (size_t from = 0; from + length <= count;)
				if (!without(setup, steps, &count, from, length))
					from += length;
	} while (count < before);
	return count;
}

void smp_print(const struct smp_setup *setup, const struct smp_step *steps, size_t count)
{
	static const char *const name[] = {
#define X(name, weight) #name,
		SMP_STEPS(X)
#undef X
	};
	struct smp_failure failure = smp_oracle(setup, steps, count);

	print_error("GICv%u, %u vCPUs, lr_count %u, lr=%s, EOI %s: step %u, INTID %u: %s\n",
		    gic_version(), setup->vcpu_count, setup->lr_count, setup->link_hw ? "hw" : "sw",
		    setup->split_eoi ? "split" : "combined", (unsigned)failure.step, failure.intid,
		    failure.what ? failure.what : "nothing wrong");
	for (size_t i = 0; i < count; i++)
		print_error("\t{ SMP_%s, %u, %u, 0x%x }, /* INTID %u */\n", name[steps[i].kind],
			    steps[i].n % setup->vcpu_count, steps[i].slot, steps[i].arg,
			    intid_of(&steps[i]));
}
