/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "lib/bits.h"
#include "tests/unit/cores.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_model.h"

#define LATE_MAX 12u
#define SGI_SOURCES 8u /* GICv2: an SGI is pending once for each core that sent it */
#define ROUTE_ANY (1ull << 31)

struct vgic_seen vgic_seen;
static const struct vgic_setup *setup;
static unsigned late[VCPU_MAX];      /* steps until the core looks: takes its interrupts again */
static unsigned late_last[VCPU_MAX]; /* interrupt that the core then takes last */
static unsigned peak;                /* vCPU 0: most interrupts active at once since none was */
static const char *wrong;            /* what a step found wrong, or NULL */
static bool disordered; /* an EOI came out of order: no acknowledge until all have ended */

static bool alone(void)
{
	return model.count == 1;
}

static bool is_sgi(unsigned intid)
{
	return intid < GIC_SGI_COUNT;
}

static bool is_private(unsigned intid)
{
	return intid < GIC_PRIVATE_COUNT;
}

static bool any_late(void)
{
	for (unsigned n = 0; n < model.count; n++)
		if (model.vcpu[n].blind)
			return true;
	return false;
}

static bool has_one_holder(const struct model_irq *irq)
{
	return !(irq->holders & (irq->holders - 1));
}

/* --- register accesses by vCPU n, to private interrupts of vCPU `owner` --- */

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

/* Return the vCPU whose private interrupt a step is about. On GICv3 this may be any vCPU. */
static unsigned owner_of(const struct vgic_step *step)
{
	return gic_version() == 3 && is_private(step->intid) ? step->arg % model.count : step->n;
}

static struct model_irq *irq_of(const struct vgic_step *step)
{
	return model_irq(owner_of(step), step->intid);
}

/* Write the interrupt's bit with an access of 1, 2, 4 or 8 bytes. */
static void write_bit(const struct vgic_step *step, uint32_t bank)
{
	unsigned size = 1u << step->arg / 32 % 4;
	uint32_t first = step->intid / 8 & ~(size - 1);

	write_bank(step->n, owner_of(step), bank + first, is_private(step->intid), size,
		   1ull << (step->intid - 8 * first));
}

/* Write bits `mask` of the interrupt's field of `bits` bits with an access of 1, 2 or 4 bytes. All
 * other bits keep their values. */
static void write_field(const struct vgic_step *step, uint32_t bank, unsigned bits, unsigned size,
			uint64_t mask, uint64_t value)
{
	unsigned owner = owner_of(step);
	uint32_t first = step->intid * bits / 8 & ~(size - 1);
	unsigned shift = step->intid * bits - 8 * first;
	uint64_t rest = read_bank(step->n, owner, bank + first, is_private(step->intid), size);

	write_bank(step->n, owner, bank + first, is_private(step->intid), size,
		   (rest & ~(mask << shift)) | value << shift);
}

/* --- cores that look: take their signalled interrupts --- */

static void look_at(unsigned n)
{
	late[n] = 0;
	cores_load(n, true);
	cores_release(n, late_last[n]);
	model.vcpu[n].blind = false;
}

/* Each core that has been late for long enough takes its interrupts. The SGIs that the core of a
 * lone vCPU sends itself, for the rest of an access, are never late. */
static void look(void)
{
	if (alone() && model.vcpu[0].blind && cores_is_loaded(0))
		cores_take_own_sgis(0);
	for (unsigned n = 0; n < model.count; n++)
		if (model.vcpu[n].blind && late[n]-- == 0)
			look_at(n);
	cores_settle();
	model_look();
}

/* ICPENDR must not clear an interrupt that a device pends after the write: the core takes the kick,
 * which has a higher priority, first. */
static void kicks_come_first(void)
{
	for (unsigned n = 0; n < model.count; n++)
		late_last[n] = FAKE_GIC_MAINTENANCE;
}

static void do_late(const struct vgic_step *step)
{
	if (!cores_is_loaded(step->n))
		return;
	if (!model.vcpu[step->n].blind)
		late_last[step->n] = step->arg & 0x80 ? FAKE_GIC_MAINTENANCE : SMP_KICK_SGI;
	model.vcpu[step->n].blind = true;
	late[step->n] = 1 + step->arg % LATE_MAX;
	cores_hold(step->n, true);
}

/* The other VM's vCPU gets the core before the hypervisor sees the last actions of vCPU n. */
static void do_put(const struct vgic_step *step)
{
	late_last[step->n] = FAKE_GIC_MAINTENANCE;
	model.vcpu[step->n].blind = true;
	late[step->n] = 1 + step->arg % LATE_MAX;
	cores_load(step->n, false);
	cores_hold(step->n, false);
}

/* --- the CPU interface --- */

static bool has_virq(unsigned n)
{
	cores_on(n);
	return cores_is_loaded(n) && fake_gic_virq();
}

static bool has_acked(unsigned n)
{
	return cores_is_loaded(n) && model.vcpu[n].depth;
}

/* Return n, or in three of four cases the first vCPU from n on for which the step has an effect. */
static unsigned next_with(const struct vgic_step *step, bool (*has)(unsigned n))
{
	unsigned n = step->n;

	for (unsigned i = 0; step->arg % 4 && i < model.count && !has(n); i++)
		n = (n + 1) % model.count;
	return n;
}

static unsigned running_priority(void)
{
	uint32_t active = fake_gic.guest.active_prio[0] | fake_gic.guest.active_prio[1];

	return active ? bit_lowest(active) << 3 : MODEL_IDLE;
}

static void do_ack(const struct vgic_step *step)
{
	unsigned n = next_with(step, has_virq);
	uint32_t iar;

	if (disordered)
		return;
	iar = cpu_ack(n);
	cores_on(n);
	if (gic_intid(iar) < VIRQ_COUNT) {
		vgic_seen.acks++;
		vgic_seen.late_acks += !alone() && model.vcpu[n].blind;
		if (fake_gic.acked_group1 != model_irq(n, gic_intid(iar))->group1)
			wrong = "acknowledged an interrupt of the other group";
	}
	if (!wrong)
		wrong = model_ack(n, iar, running_priority());
}

static void end_by_eoi(unsigned n, unsigned nth)
{
	unsigned depth = model.vcpu[n].depth;

	if (depth && cores_is_loaded(n))
		cpu_eoi(n, model_eoi(n, nth < depth ? nth : 0));
}

static void do_eoi(const struct vgic_step *step)
{
	end_by_eoi(next_with(step, has_acked), 0);
}

/*
 * An EOI that also deactivates is UNPREDICTABLE out of order (IHI 0048B 4.4.5). The result is exact
 * here as long as every active interrupt is in a list register and the guest acknowledges no
 * interrupt until all have ended.
 */
static void do_eoi_other(const struct vgic_step *step)
{
	if (!model.split_eoi) {
		if (!alone() || peak >= setup->lr_count)
			return;
		if (model.vcpu[0].blind)
			look_at(0);
		cores_settle();
		model_look();
		disordered = true;
		vgic_seen.out_of_order++;
	}
	end_by_eoi(step->n, step->arg);
}

/* With split EOI an interrupt is deactivated after its priority drop. The write must name the
 * source of an SGI: a second SGI with this INTID may come from another source. */
static void do_dir(const struct vgic_step *step)
{
	unsigned n = step->n, first = 0;

	while (model_intids[first] != step->intid)
		first++;
	for (unsigned i = 0; model.split_eoi && i < MODEL_INTIDS; i++) {
		unsigned intid = model_intids[(first + i) % MODEL_INTIDS];
		struct model_irq *irq = model_irq(n, intid);

		if (!irq->active || irq->owner != n || !(irq->acked || alone()) ||
		    model_is_running(n, intid))
			continue;
		cores_on(n);
		vgic_seen.traps += fake_gic_guest_deactivate_traps() || gic_version() == 2;
		model_deactivate(irq);
		cpu_deactivate(n, intid | (uint32_t)irq->acked_from << 10);
		return;
	}
}

/* BPR changes only while no priority is active: a new BPR could turn an active priority into
 * another one (IHI 0048B 4.4.3). */
static void set_point(const struct vgic_step *step)
{
	struct model_vcpu *vcpu = &model.vcpu[step->n];

	if (vcpu->level_count)
		return;
	vcpu->point = 2 + step->arg / 2 % 5;
	fake_gic.guest.point[0] = (uint8_t)vcpu->point;
	fake_gic.guest.point[1] = (uint8_t)(step->arg & 1 ? 0 : vcpu->point + 1);
	fake_gic.guest.common_point = step->arg & 1;
}

/* Write a register of vCPU n's CPU interface. */
static void do_interface(const struct vgic_step *step)
{
	cores_on(step->n);
	if (step->kind == STEP_POINT)
		set_point(step);
	else if (step->kind == STEP_MASK)
		fake_gic.guest.mask = model.vcpu[step->n].mask = step->arg;
	else
		fake_gic.guest.groups = model.vcpu[step->n].groups = step->arg & 3;
}

/* Check that the vCPU may sleep. Another VM's vCPU would get the core, and interrupts for this vCPU
 * would not come. */
static void do_wfi(const struct vgic_step *step)
{
	cores_on(step->n);
	if (vgic_anything_pending(&cores_vm.vcpu[step->n]->vgic))
		return;
	if (fake_gic_maintenance())
		wrong = "sleeps before its interrupts are seen to";
	else if (model_signals(step->n))
		wrong = "sleeps though something is pending";
}

/* --- sources of interrupts --- */

/* On GICv2, SPENDSGIR also pends SGIs from other cores. */
static void send_alone(unsigned intid, unsigned source)
{
	if (gic_version() > 2)
		source = 0;
	model_irq(0, intid)->sources |= (uint8_t)BIT(source);
	if (gic_version() > 2)
		sgi_write(0, sgi1r_write, (uint64_t)intid << 24 | 1);
	else if (source == 0)
		dist_write(0, GICD_SGIR, 4, 2u << 24 | intid);
	else
		dist_write(0, GICD_SPENDSGIR + intid, 1, 1u << source);
}

static void do_sgi(const struct vgic_step *step)
{
	unsigned targets = step->arg & (BIT(model.count) - 1);
	unsigned source = gic_version() == 2 ? step->n : 0;

	if (!is_sgi(step->intid))
		return;
	if (alone()) {
		send_alone(step->intid, step->arg % SGI_SOURCES);
		return;
	}
	for (unsigned n = 0; n < model.count; n++)
		if (targets >> n & 1)
			model_irq(n, step->intid)->sources |= (uint8_t)BIT(source);
	if (gic_version() == 2)
		dist_write(step->n, GICD_SGIR, 4, targets << 16 | step->intid);
	else
		sgi_write(step->n, sgi1r_write, (uint64_t)step->intid << 24 | targets);
}

/* For SGIs GICv2 has other registers than ISPENDR and ICPENDR. */
static void pend_sgi(const struct vgic_step *step, bool pending)
{
	struct model_irq *irq = irq_of(step);

	if (gic_version() == 2 && !alone())
		return; /* do_sgi() */
	if (gic_version() == 2 && pending) {
		send_alone(step->intid, 0);
	} else if (gic_version() == 2) {
		model_unpend(irq, step->arg);
		dist_write(0, GICD_CPENDSGIR + step->intid, 1, step->arg);
	} else if (pending || alone() || owner_of(step) == step->n || !model_races(irq)) {
		/* In other cases ICPENDR may also clear an SGI sent before the core looks. */
		irq->sources = pending;
		irq->maybe_from = 0;
		write_bit(step, pending ? GICD_ISPENDR : GICD_ICPENDR);
	}
}

static void do_pend(const struct vgic_step *step)
{
	bool pending = step->kind == STEP_PEND;
	struct model_irq *irq = irq_of(step);

	if (is_sgi(step->intid)) {
		pend_sgi(step, pending);
		return;
	}
	if (pending)
		model_pend(irq);
	else
		model_unpend(irq, ~0u);
	if (!pending && irq->forwarded && !alone())
		kicks_come_first();
	write_bit(step, pending ? GICD_ISPENDR : GICD_ICPENDR);
}

static void do_target(const struct vgic_step *step)
{
	unsigned count = model.count;
	unsigned target = step->arg % (count + 1);
	struct model_irq *irq = irq_of(step);
	bool any = gic_version() == 3 && step->arg >= 0xf0;

	if (is_private(step->intid) ||
	    (any && (irq->target == MODEL_NOBODY || !model_is_sure(irq))))
		return;
	if (any)
		target = irq->holder;
	vgic_seen.moved_pending +=
		model_is_pending(irq) && target < count && target != irq->holder && !irq->active;
	vgic_seen.moved_active += irq->active && target < count && target != irq->holder;
	vgic_seen.unrouted += model_is_pending(irq) && target == count;
	model_target(irq, target < count ? target : MODEL_NOBODY);
	if (gic_version() == 2)
		dist_write(step->n, GICD_ITARGETSR + step->intid, 1,
			   target < count ? BIT(target) : 0);
	else
		dist_write(step->n, GICD_IROUTER + 8 * step->intid, 8,
			   any              ? ROUTE_ANY
			   : target < count ? target
					    : 0x100);
}

/* A lone vCPU shares its core with the emulated device, so EL2 processes the posts at once. */
static void process_own_posts(void)
{
	struct vcpu *vcpu = cores_vm.vcpu[0];

	while (alone() && cores_is_loaded(0) && vcpu->vgic.posted.kinds)
		vgicd_process_posts(vcpu);
}

/* Return true if the action of a device may reach a core before the model knows. */
static bool outruns(const struct model_irq *irq)
{
	return model_races(irq) || (alone() && !cores_is_loaded(0));
}

static void do_line(const struct vgic_step *step)
{
	bool high = step->kind == STEP_LINE_HIGH;
	struct model_irq *irq = model_irq(step->n, step->intid);

	if (is_sgi(step->intid) || (is_private(step->intid) && !alone()) ||
	    (irq->forwarded && !high && outruns(irq)))
		return;
	if (is_private(step->intid) && !irq->forwarded && !cores_is_loaded(step->n))
		return;
	irq->maybe |= irq->forwarded && model_is_pending(irq) && outruns(irq);
	model_line(irq, high);
	cores_on(step->n);
	if (irq->forwarded) {
		fake_gic_line(step->intid, high);
		cores_settle();
	} else if (is_private(step->intid)) {
		vgic_set_level(&cores_vm.vcpu[0]->vgic, &cores_vm.vcpu[0]->vgic.virq[step->intid],
			       high);
	} else {
		spi_line(step->intid, high);
		process_own_posts();
	}
}

/* `arrives`: n's core takes the SPI whatever its route is. The vGIC then has the SPI although the
 * core of its target may not have looked. */
static void do_raise(const struct vgic_step *step)
{
	bool arrives = step->kind == STEP_ARRIVE;
	struct model_irq *irq = model_irq(step->n, step->intid);

	if (!irq->forwarded || !irq->is_spi || (model_races(irq) && !has_one_holder(irq)))
		return;
	irq->maybe |= model_is_pending(irq) && outruns(irq);
	irq->pending_latch = true;
	if (!arrives || alone() || irq->active || irq->accepted) {
		spi_raise(step->intid);
	} else if (spi_arrive_at(step->intid, step->n)) {
		vgic_seen.arrived++;
		irq->accepted = true;
		irq->pending_latch = false;
	}
}

/* --- configuration --- */

static void do_enable(const struct vgic_step *step)
{
	bool enabled = step->kind == STEP_ENABLE;
	struct model_irq *irq = irq_of(step);

	if (!is_sgi(step->intid) || gic_version() > 2) {
		if (!enabled)
			model_release(irq);
		irq->enabled = enabled;
	}
	write_bit(step, enabled ? GICD_ISENABLER : GICD_ICENABLER);
}

static void do_priority(const struct vgic_step *step)
{
	irq_of(step)->priority = step->arg & 0xf8;
	write_field(step, GICD_IPRIORITYR, 8, 1u << step->arg % 8 % 3, 0xff, step->arg & 0xf8);
}

/* A forwarded interrupt has the configuration of its physical interrupt, which may change only
 * while it is disabled. */
static void do_edge(const struct vgic_step *step)
{
	struct model_irq *irq = model_irq(step->n, step->intid);
	bool edge = step->arg & 1;

	if (is_sgi(step->intid) || (irq->forwarded && (irq->enabled || !alone())) ||
	    (!alone() && (is_private(step->intid) || any_late())))
		return;
	irq->edge = edge && irq->is_spi;
	write_field(step, GICD_ICFGR, 2, 1u << step->arg / 32 % 3, 2, edge ? 2 : 0);
}

static void do_group(const struct vgic_step *step)
{
	struct model_irq *irq = model_irq(step->n, step->intid);

	irq->group1 = step->arg & 1;
	if (!model_may_deliver(irq))
		model_release(irq);
	write_field(step, GICD_IGROUPR, 1, 1u << step->arg / 32 % 3, 1, irq->group1);
}

/* Return true if the write has a defined result. With one vCPU that excludes ISACTIVER for an
 * interrupt that is not active and still awaits its EOI: see CAVEATS.md. With several vCPUs another
 * vCPU may acknowledge the interrupt meanwhile, or hold it. */
static bool is_plain(const struct vgic_step *step)
{
	const struct model_irq *irq = irq_of(step);

	if (alone())
		return step->kind == STEP_DEACTIVATE || irq->active ||
		       !model_is_running(0, step->intid);
	for (unsigned n = 0; n < model.count; n++)
		if ((!is_private(step->intid) || n == owner_of(step)) &&
		    model_is_running(n, step->intid))
			return false;
	return model_is_sure(irq) && has_one_holder(irq) &&
	       (irq->active || step->kind == STEP_ACTIVATE);
}

static void do_active(const struct vgic_step *step)
{
	bool active = step->kind == STEP_ACTIVATE;
	struct model_irq *irq = irq_of(step);

	if (!is_plain(step))
		return;
	if (active)
		model_activate(irq->holder, irq);
	else
		model_deactivate(irq);
	write_bit(step, active ? GICD_ISACTIVER : GICD_ICACTIVER);
}

static void do_dist(const struct vgic_step *step)
{
	model.dist_groups = step->arg & 3;
	for (unsigned n = 0; n < model.count; n++)
		for (unsigned i = 0; i < (n ? MODEL_PRIVATE : MODEL_INTIDS); i++)
			if (!(model.dist_groups >> model_irq(n, model_intids[i])->group1 & 1))
				model_release(model_irq(n, model_intids[i]));
	dist_write(step->n, GICD_CTLR, 4, model.dist_groups);
}

/* Ignore the value: it may be the state of another core at another time. */
static void do_read(const struct vgic_step *step)
{
	static const uint32_t bank[] = { GICD_ISPENDR, GICD_ISACTIVER, GICD_ISENABLER };

	read_bank(step->n, owner_of(step),
		  bank[step->arg / 16 % ARRAY_SIZE(bank)] + step->intid / 32 * 4,
		  is_private(step->intid), 4);
}

/* While vCPU n is not loaded only devices act. */
static bool is_possible(const struct vgic_step *step)
{
	return cores_is_loaded(step->n) || step->kind == STEP_LINE_HIGH ||
	       step->kind == STEP_LINE_LOW || step->kind == STEP_RAISE || step->kind == STEP_ARRIVE;
}

static void (*const acts[])(const struct vgic_step *step) = {
#define X(name, act, alone, several) [STEP_##name] = do_##act,
	VGIC_STEPS(X)
#undef X
};

/* --- comparison: every core has looked --- */

/* Words read from each bank: private interrupts of each vCPU, and SPIs. */
enum bank { PENDING, ACTIVE, ENABLED, GROUPS, BANKS };
static const uint32_t bank_offset[BANKS] = { GICD_ISPENDR, GICD_ISACTIVER, GICD_ISENABLER,
					     GICD_IGROUPR };
static uint32_t private_words[BANKS][VCPU_MAX];
static uint32_t spi_words[BANKS][VIRQ_WORDS];

/* On GICv2 only a vCPU itself can read its private interrupts. */
static unsigned reader_of(unsigned reader, unsigned owner)
{
	return gic_version() == 2 ? owner : reader;
}

static void read_all(unsigned reader)
{
	for (enum bank bank = PENDING; bank < BANKS; bank++) {
		for (unsigned n = 0; n < model.count; n++)
			private_words[bank][n] = (uint32_t)read_bank(reader_of(reader, n), n,
								     bank_offset[bank], true, 4);
		for (unsigned word = 1; word < VIRQ_WORDS; word += 2) /* only words in use */
			spi_words[bank][word] =
				(uint32_t)dist_read(reader, bank_offset[bank] + 4 * word, 4);
	}
}

static bool field(unsigned n, unsigned intid, enum bank bank)
{
	return (is_private(intid) ? private_words[bank][n] : spi_words[bank][intid / 32]) >>
		       intid % 32 &
	       1;
}

static const char *compare_pending(struct model_irq *irq, unsigned n, unsigned intid)
{
	bool pending = field(n, intid, PENDING);
	unsigned sources = is_sgi(intid) && pending;

	if (is_sgi(intid) && gic_version() == 2)
		sources = (unsigned)dist_read(n, GICD_SPENDSGIR + intid, 1);
	if (model_is_pending(irq) && !pending)
		return "ISPENDR: lost";
	if (!model_may_be_pending(irq) && pending)
		return "ISPENDR: pending for no reason";
	if ((irq->sources & ~sources) || (sources & ~(irq->sources | irq->maybe_from)))
		return "SPENDSGIR";
	vgic_seen.races += irq->maybe || irq->maybe_from;
	vgic_seen.sources += alone() && __builtin_popcount(irq->sources) > 2;
	vgic_seen.senders += !alone() && __builtin_popcount(irq->sources) > 1;
	model_adopt(irq, pending, sources);
	return NULL;
}

/* Compare the state of a forwarded interrupt at the physical GIC. */
static const char *compare_physical(const struct model_irq *irq, unsigned intid)
{
	const struct fake_irq *physical = &fake_gic.irq[intid];
	bool active = irq->active || irq->accepted;
	bool held = active && !gic_splits_ends(); /* gicv2_combined.c: held back by its priority */

	if (!irq->forwarded || irq->maybe)
		return NULL;
	if (physical->enabled != (model_may_deliver(irq) && irq->target != MODEL_NOBODY))
		return "enabled at the physical GIC";
	if (gic_is_active(intid) != active || physical->active != (active && !held))
		return "active at the physical GIC";
	if (physical->pending_latch != irq->pending_latch)
		return "latched at the physical GIC";
	if (physical->priority != (held ? 0xf8 : irq->priority))
		return "priority at the physical GIC";
	return physical->edge != irq->edge ? "configuration at the physical GIC" : NULL;
}

/* Compare registers that read back the written value. */
static const char *compare_kept(unsigned reader, unsigned n, unsigned intid)
{
	const struct model_irq *irq = model_irq(n, intid);
	bool private = is_private(intid);
	uint64_t config = read_bank(reader, n, GICD_ICFGR + intid / 4, private, 1);

	if (read_bank(reader, n, GICD_IPRIORITYR + intid, private, 1) != irq->priority)
		return "IPRIORITYR";
	return (config >> (intid % 4 * 2 + 1) & 1) != irq->edge ? "ICFGR" : NULL;
}

/* An SPI that is not active is routed to its target, and has no pending retarget. */
static const char *compare_route(const struct model_irq *irq, unsigned intid)
{
	const struct fake_irq *physical = &fake_gic.irq[intid];
	unsigned core;

	if (!irq->is_spi || irq->active || irq->target == MODEL_NOBODY)
		return NULL;
	for (unsigned n = 0; n < model.count; n++)
		if (cores_vm.vcpu[n]->vgic.virq[intid].retarget)
			return "a retarget is still pending";
	core = cores_vm.vcpu[irq->target]->core;
	if (irq->forwarded && physical->route != (gic_version() == 2 ? BIT(core) : core))
		return "route at the physical GIC";
	return NULL;
}

static const char *compare_irq(unsigned reader, unsigned n, unsigned intid, bool kept)
{
	struct model_irq *irq = model_irq(n, intid);
	bool open = irq->maybe || irq->maybe_from;
	const char *what;

	reader = is_private(intid) ? reader_of(reader, n) : reader;
	if (field(n, intid, ENABLED) != irq->enabled)
		return "ISENABLER";
	if (field(n, intid, ACTIVE) != irq->active)
		return "ISACTIVER";
	if (field(n, intid, GROUPS) != irq->group1)
		return "IGROUPR";
	what = compare_pending(irq, n, intid);
	if (open)
		model_look(); /* with the adopted state */
	if (!what && kept)
		what = compare_kept(reader, n, intid);
	if (!what)
		what = compare_route(irq, intid);
	cores_on(n);
	return what ? what : compare_physical(irq, intid);
}

static const char *compare_signals(void)
{
	for (unsigned n = 0; n < model.count; n++) {
		cores_on(n);
		if (fake_gic_maintenance())
			return "the maintenance line stays high";
		if (fake_gic_virq() && !model_signals(n))
			return "an interrupt is signalled and should not";
		if (!fake_gic_virq() && model_signals(n))
			return "no interrupt is signalled and one should";
	}
	return NULL;
}

/* Compare the two after step `i`. Registers that read back the written value are compared for one
 * interrupt in turn and for the interrupt of the step. */
static const char *compare(const struct vgic_step *step, unsigned i, unsigned *intid)
{
	unsigned reader = i % model.count;
	unsigned turn = model_intids[i % MODEL_INTIDS];
	const char *what;

	vgic_seen.compared += !alone();
	read_all(reader);
	if ((dist_read(reader, GICD_CTLR, 4) & 3) != model.dist_groups)
		return "GICD_CTLR";
	for (unsigned n = 0; n < model.count; n++)
		for (unsigned at = 0; at < (n ? MODEL_PRIVATE : MODEL_INTIDS); at++) {
			*intid = model_intids[at];
			what = compare_irq(reader, n, *intid,
					   *intid == turn || *intid == step->intid);
			if (what)
				return what;
		}
	*intid = GIC_SPURIOUS;
	return compare_signals();
}

/* --- sequences --- */

static void boot(void)
{
	cores_boot_as(setup->vcpu_count, setup->lr_count, setup->link_hw, setup->split_eoi);
	model_boot(setup->vcpu_count, setup->split_eoi);
	memset(late, 0, sizeof(late));
	peak = 0;
	disordered = false;
	for (uint32_t i = 0; alone() && i < VIRQ_COUNT / 8; i += 4)
		write_bank(0, 0, GICD_IGROUPR + i, i == 0, 4, 0);
	for (unsigned n = 0; n < setup->vcpu_count; n++)
		for (unsigned i = 0; i < MODEL_INTIDS; i++) {
			struct vgic_step step = { STEP_ENABLE, (uint8_t)n, model_intids[i], 0xa0 };

			write_bank(n, n, GICD_IPRIORITYR + step.intid, is_private(step.intid), 1,
				   step.arg);
			step.arg = step.n;
			do_enable(&step);
		}
	cores_count_anew();
}

static void note(const struct vgic_step *step)
{
	const struct vgic *vgic = &cores_vm.vcpu[0]->vgic;
	unsigned active = 0;

	for (unsigned i = 0; i < MODEL_INTIDS; i++)
		active += model_irq(0, model_intids[i])->active;
	peak = active > peak && active ? active : active ? peak : 0;
	if (model.vcpu[0].depth == 0)
		disordered = false;
	vgic_seen.deeper += step->kind == STEP_ACK && active > setup->lr_count;
	vgic_seen.late += any_late();
	vgic_seen.waiting += vgic->queued_at[0] || vgic->queued_at[1];
	vgic_seen.in_memory += vgic->spilled_count != 0;
}

struct vgic_failure vgic_oracle(const struct vgic_setup *of, const struct vgic_step *steps,
				size_t count)
{
	struct vgic_failure failure = { NULL, 0, GIC_SPURIOUS };

	setup = of;
	boot();
	for (size_t i = 0; i < count; i++) {
		struct vgic_step step = steps[i];

		step.n = (uint8_t)(step.n % setup->vcpu_count);
		failure.step = i;
		wrong = NULL;
		if (is_possible(&step))
			acts[step.kind](&step);
		look();
		failure.what = wrong ? wrong : fake_gic_violation();
		if (!failure.what && !any_late())
			failure.what = compare(&step, (unsigned)i, &failure.intid);
		if (failure.what)
			return failure;
		if (setup->sabotage)
			setup->sabotage(&step, (unsigned)i);
		note(&step);
	}
	return failure;
}

/* Run the sequence without `length` steps from step `from` on. If it still fails, remove these
 * steps and return true. */
static bool without(const struct vgic_setup *of, struct vgic_step *steps, size_t *count,
		    size_t from, size_t length)
{
	struct vgic_step *shorter = malloc(*count * sizeof(*steps));
	size_t rest = *count - from - length;
	struct vgic_failure failure;

	memcpy(shorter, steps, from * sizeof(*steps));
	memcpy(shorter + from, steps + from + length, rest * sizeof(*steps));
	failure = vgic_oracle(of, shorter, from + rest);
	if (failure.what) {
		*count = failure.step + 1;
		memcpy(steps, shorter, *count * sizeof(*steps));
	}
	free(shorter);
	return failure.what;
}

/* Delta debugging: leave out ever smaller parts, and repeat while that shortens the sequence. */
size_t vgic_shrink(const struct vgic_setup *of, struct vgic_step *steps, size_t count)
{
	size_t before;

	do {
		before = count;
		for (size_t length = count / 2; length; length /= 2)
			for (size_t from = 0; from + length <= count;)
				if (!without(of, steps, &count, from, length))
					from += length;
	} while (count < before);
	return count;
}

static void print(const struct vgic_setup *of, const struct vgic_step *steps, size_t count)
{
	static const char *const name[] = {
#define X(name, act, alone, several) #name,
		VGIC_STEPS(X)
#undef X
	};
	struct vgic_failure failure = vgic_oracle(of, steps, count);

	print_error("GICv%u, %u vCPUs, lr_count %u, lr=%s, EOI %s: step %u, INTID %u: %s\n",
		    gic_version(), of->vcpu_count, of->lr_count, of->link_hw ? "hw" : "sw",
		    of->split_eoi ? "split" : "combined", (unsigned)failure.step, failure.intid,
		    failure.what ? failure.what : "nothing wrong");
	for (size_t i = 0; i < count; i++)
		print_error("\tBY(%u, %s, %u, 0x%x),\n", steps[i].n % of->vcpu_count,
			    name[steps[i].kind], steps[i].intid, steps[i].arg);
}

const char *vgic_check(const struct vgic_setup *of, const struct vgic_step *steps, size_t count)
{
	struct vgic_failure failure = vgic_oracle(of, steps, count);
	struct vgic_step *shortest;
	size_t length = failure.step + 1;

	if (!failure.what)
		return NULL;
	shortest = malloc(length * sizeof(*steps));
	memcpy(shortest, steps, length * sizeof(*steps));
	length = vgic_shrink(of, shortest, length);
	print(of, shortest, length);
	free(shortest);
	return failure.what;
}
