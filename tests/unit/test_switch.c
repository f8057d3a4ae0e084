/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a VM switch: which vCPU is loaded, and the order in which the timers' registers are
 * written. No PPI of a timer may signal meanwhile, unless a VM's timer is due. */
/* LINK: exit-path tests/unit/trap_vm.c drivers/gic/gicv2.c */
#include "arch/sysreg.h"
#include "hyp/vm/vm.h"
#include "lib/bits.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

#define NOW 1000u /* CNTPCT */
#define CTL_ENABLE 1u
#define CTL_IMASK 2u

struct timers {
	uint64_t ctl, cval, cntvoff;
};

/* CVAL 700 is due without an offset, and not with 500. CNTP expires when CNTV does. */
static const uint64_t ctls[] = { 0, CTL_ENABLE, CTL_ENABLE | CTL_IMASK };
static const uint64_t cvals[] = { 100, 700, NOW + 1 };
static const uint64_t offsets[] = { 0, 500 };

#define CASES (ARRAY_SIZE(ctls) * ARRAY_SIZE(cvals) * ARRAY_SIZE(offsets))

static struct timers timers_of(unsigned n)
{
	return (struct timers){
		.ctl = ctls[n % ARRAY_SIZE(ctls)],
		.cval = cvals[n / ARRAY_SIZE(ctls) % ARRAY_SIZE(cvals)],
		.cntvoff = offsets[n / ARRAY_SIZE(ctls) / ARRAY_SIZE(cvals)],
	};
}

static bool signals(uint64_t ctl, uint64_t cval, uint64_t offset)
{
	return (ctl & (CTL_ENABLE | CTL_IMASK)) == CTL_ENABLE && NOW - offset >= cval;
}

static bool is_due(struct timers timers)
{
	return signals(timers.ctl, timers.cval, timers.cntvoff);
}

static bool write_silently(const uint64_t *variable, uint64_t value)
{
	*(uint64_t *)(uintptr_t)variable = value;
	assert_false(signals(fake_cntv_ctl_el0, fake_cntv_cval_el0, fake_cntvoff_el2));
	assert_false(signals(fake_cntp_ctl_el0, fake_cntp_cval_el0, 0));
	return true;
}

static struct vm other_vm = { .vmid = 3 };
static struct vcpu other;

static void start_other(void)
{
	other = (struct vcpu){ .vm = &other_vm };
	other_vm.vcpu[0] = &other;
}

static void switch_silently(struct timers from, struct timers to)
{
	trap_setup();
	fake_cntpct_el0 = NOW;
	fake_counter_step = 0;
	fake_cntv_ctl_el0 = fake_cntp_ctl_el0 = from.ctl;
	fake_cntv_cval_el0 = from.cval;
	fake_cntp_cval_el0 = from.cval + from.cntvoff;
	fake_cntvoff_el2 = vcpu->el2.cntvoff_el2 = from.cntvoff;
	start_other();
	other.load_work = VCPU_DIFFERS;
	other.el1.cntv_ctl_el0 = other.el1.cntp_ctl_el0 = to.ctl;
	other.el1.cntv_cval_el0 = to.cval;
	other.el1.cntp_cval_el0 = to.cval + to.cntvoff;
	other.el2.cntvoff_el2 = to.cntvoff;
	fake_sysregs.write = write_silently;
	vcpu_switch(&other, vcpu);
	fake_sysregs.write = NULL;
	assert_int_equal(fake_cntv_ctl_el0, to.ctl);
	assert_int_equal(fake_cntp_ctl_el0, to.ctl);
	assert_int_equal(fake_cntv_cval_el0, to.cval);
	assert_int_equal(fake_cntp_cval_el0, to.cval + to.cntvoff);
	assert_int_equal(fake_cntvoff_el2, to.cntvoff);
	assert_int_equal(vcpu->el1.cntv_ctl_el0, from.ctl);
	assert_int_equal(vcpu->el1.cntp_ctl_el0, from.ctl);
}

TEST(no_timer_signals_during_a_switch)
{
	unsigned switches = 0;

	for (unsigned from = 0; from < CASES; from++) {
		for (unsigned to = 0; to < CASES; to++) {
			if (is_due(timers_of(from)) || is_due(timers_of(to)))
				continue;
			switch_silently(timers_of(from), timers_of(to));
			switches++;
		}
	}
	assert_int_equal(switches, 15 * 15);
}

/* Of two VMs with stage 2, and of a native VM, whose VTTBR is 0. */
TEST(a_vcpu_is_loaded_until_a_switch_or_a_put)
{
	for (uint64_t vttbr = 0; vttbr <= 0x1000; vttbr += 0x1000) {
		trap_setup();
		vcpu->vttbr = 0x2000;
		start_other();
		other.vttbr = vttbr;
		vcpu_load(vcpu);
		assert_true(vcpu_is_loaded(vcpu) && !vcpu_is_loaded(&other));
		vcpu_switch(&other, vcpu);
		assert_true(!vcpu_is_loaded(vcpu) && vcpu_is_loaded(&other));
		vcpu_put(&other);
		assert_true(!vcpu_is_loaded(vcpu) && !vcpu_is_loaded(&other));
	}
}
