/* SPDX-License-Identifier: Apache-2.0 */
/* The physical PPIs of a core, which two vCPUs of different VMs have in turn. */
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

TEST(each_has_its_own_enables_and_priorities)
{
	guest_enable(TIMER, 0x48);
	other.vgic.virq[PHYS_TIMER].config.enabled = true;
	other.vgic.virq[PHYS_TIMER].config.priority = 0x60;
	assert_true(physical(TIMER)->enabled);
	assert_int_equal(physical(TIMER)->priority, 0x48);
	for (unsigned i = 0; i < 2; i++) {
		vppi_load(&other);
		assert_false(physical(TIMER)->enabled);
		assert_true(physical(PHYS_TIMER)->enabled);
		assert_int_equal(physical(PHYS_TIMER)->priority, 0x60);
		vppi_load(guest);
		assert_true(physical(TIMER)->enabled);
		assert_int_equal(physical(TIMER)->priority, 0x48);
		assert_false(physical(PHYS_TIMER)->enabled);
	}
}

/* An interrupt that a distributor that is off, or a group, holds back stays disabled. */
TEST(what_is_not_to_be_delivered_is_not_enabled)
{
	guest_enable(TIMER, 0x48);
	guest_set_dist_enabled(false);
	vppi_load(&other);
	vppi_load(guest);
	assert_false(physical(TIMER)->enabled);
	guest_set_dist_enabled(true);
	assert_true(physical(TIMER)->enabled);
}

/* Both have the PPI enabled: only the priority differs, up and down. */
TEST(a_ppi_has_the_priority_of_the_loaded_vcpu)
{
	other.vgic.virq[TIMER].config.enabled = true;
	other.vgic.virq[TIMER].config.priority = 0x20;
	guest_enable(TIMER, 0x48);
	for (unsigned i = 0; i < 2; i++) {
		vppi_load(&other);
		assert_int_equal(physical(TIMER)->priority, 0x20);
		vppi_load(guest);
		assert_int_equal(physical(TIMER)->priority, 0x48);
	}
}

/* Equal vCPUs have them without a write, until one of them changes something. */
TEST(who_has_them_alike_has_them_at_once)
{
	assert_true(vgic_forward(&guest->vgic, PHYS_TIMER));
	guest_enable(TIMER, 0x48);
	assert_false(vppi_load_alike(&other)); /* not compared yet */
	vppi_load(&other);
	vppi_load(guest);
	assert_false(vppi_load_alike(&other));
	other.vgic.virq[TIMER].config.enabled = true;
	vgic_set_priority(&other.vgic, &other.vgic.virq[TIMER], 0x48);
	assert_false(vppi_load_alike(&other));
	vppi_load(&other);
	assert_true(vppi_load_alike(guest));
	assert_ptr_equal(vppi_owner(TIMER), guest);
	assert_true(physical(TIMER)->enabled);
	assert_int_equal(physical(TIMER)->priority, 0x48);

	gic_set_active(TIMER);
	assert_false(vppi_load_alike(&other));
	gic_deactivate(TIMER);
	vppi_set_active(&other, TIMER);
	assert_false(vppi_load_alike(&other));
	vppi_load(&other);
	assert_false(vppi_load_alike(guest));
	gic_deactivate(TIMER);
	assert_true(vppi_load_alike(guest));

	guest_enable(TIMER, 0x50);
	assert_false(vppi_load_alike(&other));
	guest_enable(TIMER, 0x48);
	vppi_load(&other);
	assert_true(vppi_load_alike(guest));
	guest_set_dist_enabled(false);
	assert_false(vppi_load_alike(&other));
	vppi_load(&other);
	assert_true(physical(TIMER)->enabled);
	assert_false(vppi_load_alike(guest));
	vppi_load(guest);
	guest_set_dist_enabled(true);
	vppi_load(&other);
	assert_true(vppi_load_alike(guest));

	other.vgic.ppis ^= 1u << PHYS_TIMER | 1u << (PHYS_TIMER - 1); /* as many, but others */
	assert_false(vppi_load_alike(&other));
	other.vgic.ppis = guest->vgic.ppis;
	assert_true(vppi_load_alike(&other));
	assert_true(vppi_load_alike(guest));
	guest_pend(PHYS_TIMER); /* it moves with its vCPU */
	assert_false(vppi_load_alike(&other));
	vppi_load(&other);
	assert_false(vppi_load_alike(guest));
	vppi_put();
	assert_false(vppi_load_alike(guest));
}

TEST(pending_by_software_follows_its_vcpu)
{
	guest_pend(TIMER); /* not enabled: it waits at the physical GIC */
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

/* Its end finds it active at the physical GIC once it is loaded; the loaded one's stays. */
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
