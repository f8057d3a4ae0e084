/* SPDX-License-Identifier: Apache-2.0 */
/* What a vCPU finds when it is loaded again: its own priority of a PPI, and no timer that a reset
 * has stopped. */
/* LINK: exit-path drivers/gic/gicv2.c tests/unit/trap_vm.c */

#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

static void setup(void)
{
	const struct run_config config = { .cntp = CNTP_EMULATED };

	trap_setup();
	fake_counter_step = 0;
	fake_cntpct_el0 = 1000;
	sched_reset(&config);
	sched_add(vcpu);
	sched_begin();
}

EACH_TEST(setup, NULL);

static void assert_has_priority(struct vcpu *loaded, uint8_t priority)
{
	vppi_load(loaded);
	assert_int_equal(fake_gic.irq[GUEST_TIMER].priority, priority);
}

/* Both have the same PPI, enabled: only the priority differs, up and down. */
TEST(a_ppi_has_the_priority_of_the_loaded_vcpu)
{
	static struct vcpu other;

	other = (struct vcpu){ .vm = &vms[1], .load_work = VCPU_SHARES_PPIS };
	vms[1] = (struct vm){ .vcpu_count = 1, .vcpu = { &other } };
	vgic_reset(&other.vgic, 4, true);
	assert_true(vgic_forward(&other.vgic, GUEST_TIMER));
	other.vgic.groups_enabled = 3;
	other.vgic.virq[GUEST_TIMER].config.enabled = true;
	other.vgic.virq[GUEST_TIMER].config.priority = 0x20;
	vcpu->load_work = VCPU_SHARES_PPIS;
	guest_enable(GUEST_TIMER, 0x48);
	for (unsigned i = 0; i < 2; i++) {
		assert_has_priority(&other, 0x20);
		assert_has_priority(vcpu, 0x48);
	}
}

/* The timer was due while the vCPU was not loaded. */
TEST(a_reset_forgets_an_emulated_timer_that_was_due)
{
	vcpu->loaded = false;
	vcntp_expire(vcpu);
	vcpu->loaded = true;
	vcntp_reset(vcpu);
	vtimer_load(vcpu);
	assert_false(vcpu->vgic.virq[board.phys_timer_intid].level);
}
