/* SPDX-License-Identifier: Apache-2.0 */
/* CNTVCT of a VM over pauses, with pause_clock=held: two vCPUs that follow when their cores do. */
/* LINK: hyp/vm/vm_clock.c */
#include <unistd.h>

#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/vm_clock.h"
#include "lib/random.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define VCPUS 2u
#define OFFSET 100

static struct vcpu vcpus[VCPUS];
static struct vm vm;
static bool on[VCPUS];
static unsigned compared;

void vtimer_set_offset(struct vcpu *vcpu, uint64_t offset)
{
	vcpu->el2.cntvoff_el2 = offset;
}

void sched_compare(void)
{
	compared++;
}

static void setup(void)
{
	fake_reset();
	fake_counter_step = 0;
	fake_cntpct_el0 = 1000;
	compared = 0;
	vm = (struct vm){ .clock.held = true, .cntvoff = OFFSET, .booted = true };
	for (unsigned n = 0; n < VCPUS; n++) {
		vcpus[n] = (struct vcpu){ .vm = &vm, .index = n };
		on[n] = true;
		assert_false(vm_clock_follow(&vcpus[n]));
	}
}

static bool runs(unsigned n)
{
	return on[n] && vcpus[n].el2.cntvoff_el2 != VTIMER_HELD;
}

static void pause_at(uint64_t ticks)
{
	fake_cntpct_el0 = ticks;
	vm_set_paused(&vm, true);
}

static void resume_at(uint64_t ticks)
{
	fake_cntpct_el0 = ticks;
	vm_set_paused(&vm, false);
}

static bool follow_at(uint64_t ticks, unsigned n)
{
	fake_cntpct_el0 = ticks;
	return vm_clock_follow(&vcpus[n]);
}

EACH_TEST(setup, NULL);

TEST(it_stands_still_from_the_last_stop_on)
{
	pause_at(2000);
	assert_true(follow_at(2010, 1));
	assert_true(follow_at(2050, 0));
	assert_true(follow_at(2090, 1)); /* has stopped already */
	assert_false(runs(0) || runs(1));
	resume_at(3000);
	assert_int_equal(vm.cntvoff, OFFSET + 3000 - 2050);
	for (unsigned n = 0; n < VCPUS; n++) {
		assert_false(follow_at(3100, n));
		assert_int_equal(vcpus[n].el2.cntvoff_el2, vm.cntvoff);
	}
	assert_int_equal(compared, 2 * VCPUS);
}

TEST(twice_is_once)
{
	pause_at(2000);
	follow_at(2000, 0);
	follow_at(2000, 1);
	pause_at(2400);
	resume_at(3000);
	resume_at(3500);
	assert_int_equal(vm.cntvoff, OFFSET + 1000);
}

TEST(it_is_not_held_before_the_guest_begins)
{
	vm.booted = false;
	vm.clock.going = 0;
	pause_at(2000);
	resume_at(2100);
	assert_int_equal(vm.cntvoff, OFFSET);
}

/* A partner's fail over or a control VM's command, on a core that has none of the VM's vCPUs. */
static bool is_made_anew(const reg_t *variable, reg_t *value)
{
	if (variable != &fake_cntpct_el0)
		return false;
	*value = fake_cntpct_el0;
	vm = (struct vm){ .clock.held = true };
	return true;
}

TEST(a_vm_that_is_made_anew_meanwhile_locks_nobody_out)
{
	alarm(10); /* else it waits for ever */
	fake_sysregs.read = is_made_anew;
	pause_at(2000);
	fake_sysregs.read = NULL;
	resume_at(2100);
	pause_at(2200);
	assert_true(vm.paused);
	alarm(0);
}

TEST(moving_it_is_left_alone)
{
	vm.clock.held = false;
	pause_at(2000);
	assert_true(vm.paused);
	resume_at(3000);
	assert_false(vm.paused);
	assert_int_equal(vm.cntvoff, OFFSET);
}

static uint64_t clock_of(unsigned n)
{
	return fake_cntpct_el0 - vcpus[n].el2.cntvoff_el2;
}

static void step(uint32_t what)
{
	unsigned n = what >> 2 & 1;

	if ((what & 3) == 0)
		vm_set_paused(&vm, what >> 3 & 1);
	else if ((what & 7) == 7 && on[n] && on[!n])
		on[n] = false, vm_clock_off(&vcpus[n]);
	else if (!vm_clock_follow(&vcpus[n])) /* a vCPU that is off begins */
		on[n] = true;
}

/* In any order: vCPUs that run have one clock, which never goes back, nor faster than CNTPCT. */
TEST(vcpus_have_one_clock)
{
	struct random random;
	uint64_t last = clock_of(0), last_ticks = fake_cntpct_el0;

	random_init(&random, 1, 0);
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t what = random_next(&random);

		fake_cntpct_el0 += what >> 8 & 0xff;
		step(what);
		for (unsigned n = 0; n < VCPUS; n++) {
			if (!runs(n))
				continue;
			assert_true(clock_of(n) >= last);
			assert_true(clock_of(n) - last <= fake_cntpct_el0 - last_ticks);
			last = clock_of(n);
			last_ticks = fake_cntpct_el0;
		}
		if (runs(0) && runs(1))
			assert_int_equal(clock_of(0), clock_of(1));
	}
	assert_true(vm.cntvoff > OFFSET);
}
