/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the physical PPIs of a core, which two vCPUs of different VMs use in turn. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "drivers/gic/gic.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

#define TIMER GUEST_TIMER
#define PHYS_TIMER 30u

static struct vcpu *const guest = &guest_vcpu;
static struct vcpu other, without;
static struct vm *const other_vm = &vms[1];

static struct fake_irq *physical(unsigned intid)
{
	return &fake_gic.irq[intid];
}

static void setup(void)
{
	guest_boot(true);
	*other_vm = (struct vm){ .vcpu_count = 1, .vcpu = { &other } };
	other = (struct vcpu){ .vm = other_vm };
	without = (struct vcpu){ .vm = other_vm };
	vgic_reset(&other.vgic, 4, true);
	vgic_reset(&without.vgic, 4, true);
	assert_true(vgic_forward(&other.vgic, TIMER));
	assert_true(vgic_forward(&other.vgic, PHYS_TIMER));
	guest->load_work = other.load_work = without.load_work = VCPU_SHARES_PPIS;
}

EACH_TEST(setup, guest_check_rules);

static void load(struct vcpu *vcpu)
{
	vppi_load(vcpu);
	assert_ptr_equal(vppi_owner(TIMER), vcpu);
	for (unsigned intid = TIMER; intid <= PHYS_TIMER; intid++) {
		const struct virq *virq = &vcpu->vgic.virq[intid];
		bool routed = vgic_routes(&vcpu->vgic, intid);

		assert_int_equal(physical(intid)->enabled, routed && virq->config.enabled);
		if (routed)
			assert_int_equal(physical(intid)->priority, virq->config.priority);
	}
}

/* Assert that the active PPI of vCPU `whose` is active while that vCPU is loaded, and only then. */
static void assert_active_with(struct vcpu *whose)
{
	load(whose == guest ? &other : guest);
	assert_false(physical(TIMER)->active);
	load(whose);
	assert_true(physical(TIMER)->active);
}

/* Load both vCPUs in turn, twice: at the second load EL2 knows the PPIs of both. */
static void load_in_turn(void)
{
	for (unsigned i = 0; i < 2; i++) {
		load(&other);
		load(guest);
	}
}

/* EL2 decides by the PPIs that it knows of the vCPU, or else by the vCPU's interrupts. */
TEST(a_ppi_is_enabled_while_the_guest_has_it_enabled)
{
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		other.vgic.virq[TIMER].config.enabled = enabled;
		other.vgic.ppi_config = 0;
		for (unsigned known = 0; known < 2; known++) {
			assert_int_equal(other.vgic.ppi_known != 0, known);
			assert_int_equal(vppi_is_enabled(&other, TIMER), enabled);
			assert_false(vppi_is_enabled(&other, PHYS_TIMER));
			assert_false(vppi_is_enabled(&other, PHYS_TIMER - 1)); /* not routed */
			load(guest);
			load(&other);
		}
	}
}

/* The vCPUs are equal, or differ only in enables, until one of them changes something. */
TEST(each_change_reaches_the_physical_ppis)
{
	assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
	gic_set_priority(PHYS_TIMER, 0);
	guest_enable(TIMER, 0x48);
	load_in_turn();
	vgic_set_priority(&other.vgic, &other.vgic.virq[TIMER], 0x48);
	load_in_turn();
	other.vgic.virq[TIMER].config.enabled = true;
	other.vgic.ppi_config = 0;
	load_in_turn();
	guest_enable(TIMER, 0x50);
	load_in_turn();
	guest_set_dist_enabled(false);
	load_in_turn();
	guest_set_dist_enabled(true);
	load_in_turn();
	/* as many PPIs, but other ones */
	other.vgic.routed[0] ^= 1u << PHYS_TIMER | 1u << (PHYS_TIMER - 1);
	other.vgic.virq[PHYS_TIMER].config.enabled = true;
	other.vgic.ppi_config = 0;
	load_in_turn();
}

/* An active interrupt is in a list register, queued, spilled, or waits disabled. */
TEST(an_active_ppi_follows_its_vcpu_wherever_it_is)
{
	guest_enable(TIMER, 0x48);
	assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
	gic_set_priority(PHYS_TIMER, 0);
	vgic_set_priority(&other.vgic, &other.vgic.virq[TIMER], 0x48);
	load_in_turn();
	for (unsigned i = 0; i < 2; i++) {
		guest->gic.used = i == 0;
		guest->vgic.work = i == 1;
		gic_set_active(TIMER);
		assert_active_with(guest);
		gic_deactivate(TIMER);
	}
	guest->vgic.work = 0;
	guest_timer(true);
	gic_disable(TIMER); /* the acknowledge and the disable cross each other */
	guest->vgic.virq[TIMER].config.enabled = false;
	virq_go_slowly(&guest->vgic.virq[TIMER]);
	guest_timer(false);
	gic_lr_write(0, 0);
	gic_deactivate(TIMER);
	gic_set_active(TIMER);
	vgic_inject(&guest->vgic, &guest->vgic.virq[TIMER]);
	assert_int_equal(guest->vgic.work, 0);
	for (unsigned i = 0; i < 2; i++)
		assert_active_with(guest);
	gic_deactivate(TIMER);
}

/* The timer expires while its vCPU is not loaded. */
TEST(an_expired_timer_is_active_once_its_vcpu_is_loaded)
{
	guest_enable(TIMER, 0x48);
	other.vgic.virq[TIMER].config = guest->vgic.virq[TIMER].config;
	load_in_turn();
	vppi_set_active(&other, TIMER);
	assert_false(physical(TIMER)->active);
	load(&other);
	assert_true(physical(TIMER)->active);
	assert_int_equal(other.active_ppis, 0);
	other.gic.used = 1;
	assert_active_with(&other);
	gic_deactivate(TIMER);
	other.gic.used = 0;
	load_in_turn();
	assert_false(physical(TIMER)->active);
}

TEST(pending_by_software_follows_its_vcpu)
{
	guest_pend(TIMER); /* not enabled: the PPI is pending at the physical GIC */
	assert_true(physical(TIMER)->pending_latch);
	vppi_load(&other);
	assert_false(physical(TIMER)->pending_latch);
	vppi_load(guest);
	assert_true(physical(TIMER)->pending_latch);
	guest_enable(TIMER, 0x48);
	guest_assert_takes(TIMER);
	vppi_load(&other);
	vppi_load(guest);
	assert_false(physical(TIMER)->pending_latch);
	guest_assert_takes_nothing();
}

TEST(who_has_no_ppis_leaves_them)
{
	guest_enable(TIMER, 0x48);
	gic_set_active(TIMER);
	vppi_load(&without);
	assert_true(physical(TIMER)->enabled && physical(TIMER)->active);
	assert_true(vppi_is_active(guest, TIMER));
	assert_false(vppi_is_active(&without, TIMER));
}

TEST(nobodys_are_quiet)
{
	guest_enable(TIMER, 0x48);
	gic_set_active(TIMER);
	vppi_put();
	assert_false(physical(TIMER)->enabled || physical(TIMER)->active);
	assert_true(vppi_is_active(guest, TIMER));
	vppi_put();
	vppi_load(guest);
	assert_true(physical(TIMER)->enabled && physical(TIMER)->active);
}

/* When the vCPU is loaded, its end finds the PPI active at the physical GIC. The PPI of the vCPU
 * that is loaded meanwhile does not change. */
TEST(an_absent_vcpus_timer_is_active_in_its_own_set)
{
	guest_enable(TIMER, 0x48);
	guest_leave();
	vppi_load(&other);
	vtimer_expire_shared(guest, TIMER);
	assert_false(gic_is_active(TIMER));
	assert_true(vppi_is_active(guest, TIMER));
	assert_false(vppi_is_active(&other, TIMER));
	vppi_load(guest);
	assert_true(gic_is_active(TIMER));
	guest_return();
	guest_assert_takes(TIMER);
	assert_false(gic_is_active(TIMER));
	assert_int_equal(fake_gic_deactivations(TIMER), 1);
}
