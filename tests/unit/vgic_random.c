/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/vgic_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/gic/gic_regs.h"
#include "lib/bits.h"
#include "lib/random.h"
#include "tests/unit/fake/fake_gic.h"
#include "tests/unit/vgic_guest.h"
#include "tests/unit/vgic_model.h"

/* More than list registers, of every sort, and few enough to meet often. */
static const uint8_t intids[] = {
	0, 1, 2, 15, 20, GUEST_TIMER, 32, 33, 34, 35, 63, 64, 100, 127,
};

static struct model model;
static struct random random_state;

static unsigned draw(unsigned bound)
{
	return random_below(&random_state, bound);
}

static unsigned some_intid(void)
{
	return intids[draw(ARRAY_SIZE(intids))];
}

static const char *act_ack(void)
{
	return model_ack(&model, guest_ack());
}

/* A handler quiets its timer before it ends the interrupt, mostly. */
static void quiet_timer(void)
{
	if (model.irq[GUEST_TIMER].active && draw(4)) {
		model.irq[GUEST_TIMER].line = false;
		guest_timer(false);
	}
}

static const char *act_eoi(void)
{
	if (!model.depth)
		return NULL;
	quiet_timer();
	guest_eoi(model_eoi(&model));
	return NULL;
}

static bool in_stack(unsigned intid)
{
	for (unsigned i = 0; i < model.depth; i++)
		if (gic_intid(model.iar[i]) == intid)
			return true;
	return false;
}

static void deactivate(unsigned intid)
{
	model_deactivate(&model, intid);
	/* an SGI: by the source it had */
	for (unsigned source = 0; source < (intid < GIC_SGI_COUNT ? VIRQ_SOURCES : 1); source++)
		guest_deactivate(intid | source << 10);
}

/* Split EOI: what has dropped its priority is deactivated later. */
static const char *act_deactivate(void)
{
	unsigned start = draw(ARRAY_SIZE(intids));

	for (unsigned i = 0; model.split_eoi && i < ARRAY_SIZE(intids); i++) {
		unsigned intid = intids[(start + i) % ARRAY_SIZE(intids)];

		if (model.irq[intid].active && !in_stack(intid)) {
			deactivate(intid);
			break;
		}
	}
	return NULL;
}

static const char *act_pend(void)
{
	unsigned intid = some_intid();

	model_pend(&model, intid, 0);
	if (intid < GIC_SGI_COUNT)
		guest_send_sgi(intid, 0);
	else
		guest_write_bit(GICD_ISPENDR, intid);
	return NULL;
}

static const char *act_other_source(void)
{
	unsigned intid = intids[draw(4)];
	unsigned source = gic_version() == 2 ? draw(VIRQ_SOURCES) : 0;

	model_pend(&model, intid, source);
	guest_send_sgi(intid, source);
	return NULL;
}

static const char *act_unpend(void)
{
	unsigned intid = some_intid();

	if (intid >= GIC_SGI_COUNT || gic_version() > 2)
		model_unpend(&model, intid);
	guest_write_bit(GICD_ICPENDR, intid);
	return NULL;
}

static const char *act_timer(void)
{
	model.irq[GUEST_TIMER].line = true;
	guest_timer(true);
	return NULL;
}

static const char *act_enabled(void)
{
	unsigned intid = some_intid();
	bool enabled = draw(3);

	if (enabled || intid >= GIC_SGI_COUNT || gic_version() > 2)
		model.irq[intid].enabled = enabled;
	guest_set_enabled(intid, enabled);
	return NULL;
}

static const char *act_priority(void)
{
	unsigned intid = some_intid();
	uint8_t priority = (uint8_t)(draw(8) << 5);

	model.irq[intid].priority = priority;
	guest_set_priority(intid, priority);
	return NULL;
}

static const char *act_clear_active(void)
{
	unsigned intid = some_intid();

	model_deactivate(&model, intid);
	guest_write_bit(GICD_ICACTIVER, intid);
	return NULL;
}

static const char *act_dist(void)
{
	model.dist_enabled = draw(2);
	guest_set_dist_enabled(model.dist_enabled);
	return NULL;
}

/* How often each is drawn, of 64. */
static const struct {
	unsigned weight;
	const char *(*act)(void);
} acts[] = {
	{ 16, act_ack },         { 12, act_eoi },         { 6, act_deactivate }, { 10, act_pend },
	{ 4, act_other_source }, { 2, act_unpend },       { 3, act_timer },      { 6, act_enabled },
	{ 3, act_priority },     { 1, act_clear_active }, { 1, act_dist },
};

static const char *act(void)
{
	unsigned drawn = draw(64);

	for (unsigned i = 0; i < ARRAY_SIZE(acts); i++) {
		if (drawn < acts[i].weight)
			return acts[i].act();
		drawn -= acts[i].weight;
	}
	return "the weights are not 64 together";
}

static const char *compare_states(void)
{
	for (unsigned i = 0; i < ARRAY_SIZE(intids); i++) {
		unsigned intid = intids[i];

		if (guest_read_bit(GICD_ISENABLER, intid) != model.irq[intid].enabled)
			return "ISENABLER";
		if (guest_read_bit(GICD_ISPENDR, intid) != model_is_pending(&model, intid))
			return "ISPENDR";
		if (guest_read_bit(GICD_ISACTIVER, intid) != model.irq[intid].active)
			return "ISACTIVER";
	}
	return NULL;
}

static const char *compare(void)
{
	const char *wrong = fake_gic_violation();

	if (wrong)
		return wrong;
	if (fake_gic_virq() && !model_signals(&model))
		return "an interrupt is signalled and should not";
	if (!fake_gic_virq() && model_signals(&model))
		return "no interrupt is signalled and one should";
	return compare_states();
}

static void boot(const struct random_run *run)
{
	random_init(&random_state, run->seed, 0);
	guest_boot(run->lr_count, run->link_hw, run->split_eoi);
	model_boot(&model, run->lr_count, run->split_eoi);
	for (unsigned i = 0; i < ARRAY_SIZE(intids); i++) {
		model.irq[intids[i]].enabled = true;
		guest_set_enabled(intids[i], true);
	}
}

const char *vgic_random(const struct random_run *run)
{
	static char message[200];

	boot(run);
	for (unsigned step = 0; step < run->steps; step++) {
		const char *wrong = act();

		if (!wrong)
			wrong = compare();
		if (wrong) {
			snprintf(message, sizeof(message),
				 "%s: seed %u step %u, lr_count %u, link_hw %d, split_eoi %d",
				 wrong, (unsigned)run->seed, step, run->lr_count, run->link_hw,
				 run->split_eoi);
			return message;
		}
		if (run->sabotage)
			run->sabotage(step);
	}
	return NULL;
}

/* --- tests --- */

static void assert_right(unsigned lr_count, bool link_hw, bool split_eoi)
{
	for (unsigned seed = 1; seed <= 16; seed++) {
		const struct random_run run = { seed, 2500, lr_count, link_hw, split_eoi, NULL };
		const char *wrong = vgic_random(&run);

		if (wrong)
			fail_msg("%s", wrong);
	}
}

static void linked_interrupts_do_as_the_architecture_says(void **state)
{
	(void)state;
	for (unsigned lr_count = 1; lr_count <= 4; lr_count++)
		assert_right(lr_count, true, false);
}

static void unlinked_interrupts_do_as_the_architecture_says(void **state)
{
	(void)state;
	for (unsigned lr_count = 1; lr_count <= 4; lr_count++)
		assert_right(lr_count, false, false);
}

static void ending_in_two_steps_does_as_the_architecture_says(void **state)
{
	(void)state;
	assert_right(4, true, true);
	assert_right(4, false, true);
}

/* A run that is right, and one with the fault that is not. */
static void assert_found(const char *fault, void (*sabotage)(unsigned step))
{
	struct random_run run = { 1, 1000, 4, true, false, NULL };

	assert_null(vgic_random(&run));
	run.sabotage = sabotage;
	if (!vgic_random(&run))
		fail_msg("not found: %s", fault);
}

/* An interrupt that waits is forgotten. */
static void lose_one(unsigned step)
{
	struct vgic *vgic = &guest_vcpu.vgic;

	(void)step;
	for (unsigned i = GIC_SGI_COUNT; i < VIRQ_COUNT; i++)
		if (bit_test(vgic->queued, i)) {
			bit_clear(vgic->queued, i);
			vgic->queued_count--;
			vgic->virq[i].pending = false;
		}
}

/* An interrupt comes that nobody pended. */
static void repeat_one(unsigned step)
{
	if (step % 50 == 0)
		vgic_set_pending(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[20], 0);
}

static void change_priority(unsigned step)
{
	if (step == 20)
		vgic_set_priority(&guest_vcpu.vgic, &guest_vcpu.vgic.virq[32], 0xf0);
}

/* The physical interrupt is ended behind the guest's back. */
static void deactivate_timer(unsigned step)
{
	(void)step;
	gic_clear_active(GUEST_TIMER);
}

static void planted_faults_are_found(void **state)
{
	(void)state;
	assert_found("lose_one", lose_one);
	assert_found("repeat_one", repeat_one);
	assert_found("change_priority", change_priority);
	assert_found("deactivate_timer", deactivate_timer);
}

int vgic_random_tests(const char *name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linked_interrupts_do_as_the_architecture_says),
		cmocka_unit_test(unlinked_interrupts_do_as_the_architecture_says),
		cmocka_unit_test(ending_in_two_steps_does_as_the_architecture_says),
		cmocka_unit_test(planted_faults_are_found),
	};

	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
