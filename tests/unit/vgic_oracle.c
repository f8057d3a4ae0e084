/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"
#include "tests/unit/vgic_model.h"

#define SGI_SOURCES 8u /* GICv2: an SGI is pending once for each core that sent it */

/* More than list registers, of every sort, and few enough to meet often; in few bytes of the
 * registers, as all of these are read after each step. */
const uint8_t vgic_intids[VGIC_INTIDS] = {
	0,  1,  2,           7,          /* SGIs */
	20, 22, GUEST_TIMER, 30,         /* PPIs: emulated devices' but for the timer */
	32, 33, 34,          35, 36, 39, /* SPIs, likewise */
	96, 97, 103,                     /* physical ones */
};

#define BLIND_MAX 6u

struct vgic_seen vgic_seen;
static struct model model;
static unsigned peak;  /* active at once since the last time that nothing was */
static unsigned blind; /* so many steps more before the hypervisor looks */
static bool maintained_last;
static bool disordered; /* an end came out of order: the guest ends the rest before anything else */

static bool is_sgi(unsigned intid)
{
	return intid < GIC_SGI_COUNT;
}

static unsigned active_count(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < VGIC_INTIDS; i++)
		count += model.irq[vgic_intids[i]].active;
	return count;
}

/* --- steps --- */

static const char *do_ack(void)
{
	uint32_t iar;

	if (disordered)
		return NULL;
	iar = guest_ack();
	if (gic_intid(iar) < VIRQ_COUNT) {
		vgic_seen.acks++;
		if (fake_gic.acked_group1 != model.irq[gic_intid(iar)].group1)
			return "acknowledged an interrupt of the other group";
	}
	return model_ack(&model, iar);
}

static void do_eoi(unsigned nth)
{
	if (model.depth)
		guest_eoi(model_eoi(&model, nth < model.depth ? nth : 0));
}

/* The hypervisor takes what is signalled, the maintenance interrupt before or after the rest. */
static void look(void)
{
	guest_settle_late(false);
	if (maintained_last) {
		gic_disable(FAKE_GIC_MAINTENANCE);
		guest_settle();
		gic_enable(FAKE_GIC_MAINTENANCE);
	}
	maintained_last = false;
	guest_settle();
	model_look(&model);
}

/*
 * An EOI out of order where it also deactivates is UNPREDICTABLE (IHI 0048B 4.4.5). It is exact
 * here as long as everything active is in list registers, and until the guest is back in order.
 */
static void do_eoi_other(const struct vgic_setup *setup, unsigned nth)
{
	if (!setup->split_eoi) {
		if (peak >= setup->lr_count)
			return;
		look();
		disordered = true;
		vgic_seen.out_of_order++;
	}
	do_eoi(nth);
}

static void deactivate(unsigned intid)
{
	unsigned source = model.irq[intid].source;

	model_deactivate(&model, intid);
	guest_deactivate(intid | source << 10);
}

/* Split EOI: what has dropped its priority is deactivated later. */
static void do_dir(unsigned first)
{
	for (unsigned i = 0; model.split_eoi && i < VGIC_INTIDS; i++) {
		unsigned intid = vgic_intids[(first + i) % VGIC_INTIDS];

		if (model.irq[intid].active && !model_is_running(&model, intid)) {
			deactivate(intid);
			return;
		}
	}
}

static void do_sgi(unsigned intid, unsigned source)
{
	if (gic_version() > 2)
		source = 0;
	model_pend(&model, intid, source);
	guest_send_sgi(intid, source);
}

static void do_pend(unsigned intid)
{
	if (is_sgi(intid) && gic_version() == 2) {
		do_sgi(intid, 0);
		return;
	}
	model_pend(&model, intid, 0);
	guest_pend(intid);
}

static void do_unpend(unsigned intid, unsigned sources)
{
	if (is_sgi(intid) && gic_version() == 2) {
		model_unpend(&model, intid, sources);
		guest_write(GICD_CPENDSGIR + intid, 1, sources);
		return;
	}
	model_unpend(&model, intid, ~0u);
	guest_write_bit(GICD_ICPENDR, intid);
}

static void do_line(unsigned intid, bool high)
{
	if (is_sgi(intid))
		return;
	model_line(&model, intid, high);
	if (model.irq[intid].forwarded)
		guest_physical_line(intid, high);
	else
		guest_line(intid, high);
}

static void do_raise(unsigned intid)
{
	if (intid < FAKE_SPI_FIRST)
		return;
	model_raise(&model, intid);
	guest_raise(intid);
}

/* Would it sleep, another VM had the core, and what this one is interrupted for would not come. */
static const char *do_wfi(void)
{
	if (vgic_anything_pending(&guest_vcpu.vgic))
		return NULL;
	if (fake_gic_maintenance())
		return "sleeps before its interrupts are seen to";
	return model_signals(&model) && !model.late ? "sleeps though something is pending" : NULL;
}

/* Another VM has the core, and has it before the hypervisor sees anything of what the guest did. A
 * device of the guest's goes on. */
static void do_away(unsigned intid, bool raised)
{
	if (!model.irq[intid].forwarded)
		intid = GUEST_TIMER;
	guest_settle_late(true);
	model.late = true;
	guest_leave();
	if (raised)
		do_raise(intid);
	else
		do_line(intid, true);
	guest_return();
	blind = 0;
}

static void do_edge(unsigned intid, bool edge)
{
	if (is_sgi(intid) || (model.irq[intid].forwarded && model.irq[intid].enabled))
		return;
	model_set_edge(&model, intid, edge);
	guest_set_edge(intid, edge);
}

static void do_enable(unsigned intid, bool enabled)
{
	model_set_enabled(&model, intid, enabled);
	guest_set_enabled(intid, enabled);
}

/* Not of what is to be ended by EOI and is not active: CAVEATS.md. */
static void do_activate(unsigned intid)
{
	if (model_is_running(&model, intid) && !model.irq[intid].active)
		return;
	model_activate(&model, intid);
	guest_write_bit(GICD_ISACTIVER, intid);
}

static void do_deactivate(unsigned intid)
{
	model_deactivate(&model, intid);
	guest_write_bit(GICD_ICACTIVER, intid);
}

/* Steps on one interrupt's registers. */
static void do_program(const struct vgic_step *step)
{
	switch (step->kind) {
	case STEP_PRIORITY:
		model_set_priority(&model, step->intid, step->arg);
		guest_set_priority(step->intid, step->arg);
		break;
	case STEP_GROUP:
		model_set_group1(&model, step->intid, step->arg);
		guest_set_group1(step->intid, step->arg);
		break;
	case STEP_EDGE:
		do_edge(step->intid, step->arg);
		break;
	case STEP_ACTIVATE:
		do_activate(step->intid);
		break;
	case STEP_DEACTIVATE:
		do_deactivate(step->intid);
		break;
	default:
		do_enable(step->intid, step->kind == STEP_ENABLE);
		break;
	}
}

/* Steps that make an interrupt pending, or no longer. */
static void do_source(const struct vgic_step *step)
{
	switch (step->kind) {
	case STEP_PEND:
		do_pend(step->intid);
		break;
	case STEP_UNPEND:
		do_unpend(step->intid, step->arg);
		break;
	case STEP_SGI:
		do_sgi(step->intid % 4, step->arg % SGI_SOURCES);
		break;
	case STEP_RAISE:
		do_raise(step->intid);
		break;
	default:
		do_line(step->intid, step->kind == STEP_LINE_HIGH);
		break;
	}
}

/* With a priority active it might be another one by that (IHI 0048B 4.4.3). */
static void do_point(unsigned point, bool common)
{
	if (model.level_count)
		return;
	model.point = point;
	guest_set_point(point, common);
}

/* The switches that concern all interrupts. */
static void do_switch(const struct vgic_step *step)
{
	unsigned groups = step->arg & 3;

	if (step->kind == STEP_DIST) {
		model_set_dist_groups(&model, groups);
		guest_set_groups_enabled(groups);
	} else if (step->kind == STEP_CPU_GROUPS) {
		model.cpu_groups = groups;
		guest_set_cpu_groups(groups);
	} else if (step->kind == STEP_POINT) {
		do_point(2 + step->arg / 2 % 5, step->arg & 1);
	} else {
		model.mask = step->arg;
		guest_set_mask(step->arg);
	}
}

static const char *do_step(const struct vgic_setup *setup, const struct vgic_step *step)
{
	switch (step->kind) {
	case STEP_ACK:
		return do_ack();
	case STEP_EOI:
		do_eoi(0);
		break;
	case STEP_LATE:
		blind = 1 + step->arg % BLIND_MAX;
		maintained_last = step->arg & 0x80;
		break;
	case STEP_WFI:
		return do_wfi();
	case STEP_AWAY:
		do_away(step->intid, step->arg & 1);
		break;
	case STEP_EOI_OTHER:
		do_eoi_other(setup, step->arg);
		break;
	case STEP_DIR:
		do_dir(step->arg);
		break;
	case STEP_PEND:
	case STEP_UNPEND:
	case STEP_SGI:
	case STEP_LINE_HIGH:
	case STEP_LINE_LOW:
	case STEP_RAISE:
		do_source(step);
		break;
	case STEP_DIST:
	case STEP_CPU_GROUPS:
	case STEP_POINT:
	case STEP_MASK:
		do_switch(step);
		break;
	default:
		do_program(step);
		break;
	}
	return NULL;
}

/* --- comparison --- */

static const char *compare_bits(uint32_t bank, unsigned first, const char *name,
				bool (*expected)(unsigned intid), unsigned *wrong)
{
	uint64_t found = guest_read(bank + first / 8, 1);

	for (unsigned i = 0; i < 8; i++)
		if ((found >> i & 1) != expected(first + i)) {
			*wrong = first + i;
			return name;
		}
	return NULL;
}

static bool is_enabled(unsigned intid)
{
	return model.irq[intid].enabled;
}

static bool is_pending(unsigned intid)
{
	return model_is_pending(&model, intid);
}

static bool is_active(unsigned intid)
{
	return model.irq[intid].active;
}

static bool is_group1(unsigned intid)
{
	return model.irq[intid].group1;
}

static const struct {
	uint32_t bank;
	const char *name;
	bool (*expected)(unsigned intid);
} banks[] = {
	{ GICD_ISENABLER, "ISENABLER", is_enabled },
	{ GICD_ISPENDR, "ISPENDR", is_pending },
	{ GICD_ISACTIVER, "ISACTIVER", is_active },
	{ GICD_IGROUPR, "IGROUPR", is_group1 },
};

static const char *compare_fields(unsigned intid)
{
	const struct model_irq *irq = &model.irq[intid];

	if (guest_read(GICD_IPRIORITYR + intid, 1) != irq->priority)
		return "IPRIORITYR";
	if ((guest_read(GICD_ICFGR + intid / 4, 1) >> (intid % 4 * 2 + 1) & 1) != irq->edge)
		return "ICFGR";
	if (is_sgi(intid) && gic_version() == 2 &&
	    guest_read(GICD_SPENDSGIR + intid, 1) != irq->sources)
		return "SPENDSGIR";
	return NULL;
}

/* The state at the physical GIC, of an interrupt that is forwarded. */
static const char *compare_physical(unsigned intid)
{
	const struct model_irq *irq = &model.irq[intid];
	const struct fake_irq *physical = &fake_gic.irq[intid];
	bool active = irq->active || irq->accepted;
	bool held = active && !gic_splits_ends(); /* gicv2_combined.c: by its priority */

	if (!irq->forwarded)
		return NULL;
	if (physical->enabled != (irq->enabled && (model.dist_groups >> irq->group1 & 1)))
		return "enabled at the physical GIC";
	if (gic_is_active(intid) != active || physical->active != (active && !held))
		return "active at the physical GIC";
	if (physical->pending_latch != irq->pending_latch)
		return "latched at the physical GIC";
	if (physical->priority != (held ? 0xf8 : irq->priority))
		return "priority at the physical GIC";
	if (physical->edge != irq->edge)
		return "configuration at the physical GIC";
	return NULL;
}

static const char *compare_states(unsigned *wrong)
{
	const char *what = NULL;
	unsigned byte = ~0u;

	for (unsigned i = 0; i < VGIC_INTIDS && !what; i++) {
		unsigned intid = vgic_intids[i];

		for (unsigned n = 0; byte != intid / 8 && n < ARRAY_SIZE(banks) && !what; n++)
			what = compare_bits(banks[n].bank, intid & ~7u, banks[n].name,
					    banks[n].expected, wrong);
		byte = intid / 8;
		if (what)
			break;
		*wrong = intid;
		what = compare_fields(intid);
		if (!what)
			what = compare_physical(intid);
	}
	return what;
}

static const char *compare(unsigned *wrong)
{
	const char *what = fake_gic_violation();

	*wrong = GIC_SPURIOUS;
	if (what)
		return what;
	if (fake_gic_maintenance())
		return "the maintenance line stays high";
	if (fake_gic_virq() && !model_signals(&model))
		return "an interrupt is signalled and should not";
	if (!fake_gic_virq() && model_signals(&model))
		return "no interrupt is signalled and one should";
	if ((guest_read(GICD_CTLR, 4) & 3) != model.dist_groups)
		return "GICD_CTLR";
	return compare_states(wrong);
}

/* --- sequences --- */

static void boot(const struct vgic_setup *setup)
{
	guest_boot(setup->lr_count, setup->link_hw, setup->split_eoi);
	model_boot(&model, setup->split_eoi);
	for (unsigned i = 0; i < VIRQ_COUNT; i += 32)
		guest_write(GICD_IGROUPR + i / 8, 4, 0);
	model_forward(&model, GUEST_TIMER);
	for (unsigned i = 0; i < FAKE_SPI_COUNT; i++)
		model_forward(&model, FAKE_SPI_FIRST + i);
	for (unsigned i = 0; i < VGIC_INTIDS; i++) {
		const struct vgic_step step = { STEP_PRIORITY, vgic_intids[i], 0xa0 };

		do_program(&step);
		do_enable(vgic_intids[i], true);
	}
	peak = 0;
	blind = 0;
	maintained_last = false;
	disordered = false;
}

static void note(const struct vgic_setup *setup, const struct vgic_step *step, unsigned traps)
{
	const struct vgic *vgic = &guest_vcpu.vgic;
	unsigned active = active_count();

	peak = active > peak && active ? active : active ? peak : 0;
	if (model.depth == 0)
		disordered = false;
	vgic_seen.deeper += step->kind == STEP_ACK && active > setup->lr_count;
	vgic_seen.late += blind != 0;
	vgic_seen.waiting += vgic->queued_at[0] || vgic->queued_at[1];
	vgic_seen.traps += guest_traps() != traps;
	for (unsigned i = 0; i < VGIC_INTIDS; i++) {
		const struct virq *virq = &vgic->virq[vgic_intids[i]];

		vgic_seen.in_memory += virq->spilled;
		vgic_seen.many_sources += __builtin_popcount(model.irq[virq->intid].sources) > 2;
	}
}

struct vgic_failure vgic_oracle(const struct vgic_setup *setup, const struct vgic_step *steps,
				size_t count)
{
	struct vgic_failure failure = { NULL, 0, GIC_SPURIOUS };

	boot(setup);
	for (size_t i = 0; i < count; i++) {
		unsigned traps = guest_traps();

		failure.step = i;
		guest_settle_late(blind);
		model.late = blind;
		blind -= blind != 0;
		failure.what = do_step(setup, &steps[i]);
		if (!failure.what && !blind) {
			look();
			failure.what = compare(&failure.intid);
		}
		if (failure.what)
			return failure;
		if (setup->sabotage)
			setup->sabotage((unsigned)i);
		note(setup, &steps[i], traps);
	}
	return failure;
}

/* The same sequence without `length` steps from `from` on fails too: it goes on without them. */
static bool without(const struct vgic_setup *setup, struct vgic_step *steps, size_t *count,
		    size_t from, size_t length)
{
	struct vgic_step *shorter = malloc(*count * sizeof(*steps));
	size_t rest = *count - from - length;
	struct vgic_failure failure;

	memcpy(shorter, steps, from * sizeof(*steps));
	memcpy(shorter + from, steps + from + length, rest * sizeof(*steps));
	failure = vgic_oracle(setup, shorter, from + rest);
	if (failure.what) {
		*count = failure.step + 1;
		memcpy(steps, shorter, *count * sizeof(*steps));
	}
	free(shorter);
	return failure.what;
}

/* Delta debugging: ever smaller parts are left out, again and again while that finds anything. */
size_t vgic_shrink(const struct vgic_setup *setup, struct vgic_step *steps, size_t count)
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

void vgic_print(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count)
{
	static const char *const name[] = {
#define X(name, weight) #name,
		VGIC_STEPS(X)
#undef X
	};
	struct vgic_failure failure = vgic_oracle(setup, steps, count);

	print_error("GICv%u, lr_count %u, lr=%s, EOI %s: step %u, INTID %u: %s\n", gic_version(),
		    setup->lr_count, setup->link_hw ? "hw" : "sw",
		    setup->split_eoi ? "split" : "combined", (unsigned)failure.step, failure.intid,
		    failure.what ? failure.what : "nothing wrong");
	for (size_t i = 0; i < count; i++)
		print_error("\t{ STEP_%s, %u, 0x%x },\n", name[steps[i].kind], steps[i].intid,
			    steps[i].arg);
}

const char *vgic_check(const struct vgic_setup *setup, const struct vgic_step *steps, size_t count)
{
	struct vgic_failure failure = vgic_oracle(setup, steps, count);
	struct vgic_step *shortest;
	size_t length = failure.step + 1;

	if (!failure.what)
		return NULL;
	shortest = malloc(length * sizeof(*steps));
	memcpy(shortest, steps, length * sizeof(*steps));
	length = vgic_shrink(setup, shortest, length);
	vgic_print(setup, shortest, length);
	free(shortest);
	return failure.what;
}
