/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a VM that starts again: which vCPU does which part, in which order, and what another
 * event changes. */
/* LINK: hyp/vm/vm_work.c hyp/vm/vm_begin.c */
#include <string.h>

#include "hyp/arch/guest.h"
#include "hyp/base/record.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/timerq.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vcpu_power.h"
#include "hyp/vm/vm_begin.h"
#include "hyp/vm/vm_build.h"
#include "hyp/vm/vm_gic.h"
#include "hyp/vm/vm_report.h"
#include "hyp/vm/vm_work.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

#define VCPUS 3u
#define IMAGE_PIECES 5u
#define BUILD_PIECES 3u
#define POWER_PIECES 4u
#define ENTRY 0x40200000
#define LIMIT 7777
#define CNTVOFF 4711

static const struct run_config config = { .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED };
static struct vm vm;
static struct vcpu vcpus[VCPUS];
static struct vm_type type;
static struct vm_machine machine;
static unsigned used_for_pieces; /* pieces for which other cores use the VM's devices */
static unsigned image_pieces, restarts, interrupts_reset[VCPUS], silenced, asked, this_core;
static unsigned power_pieces, begun;
static unsigned build_pieces, lives_kept, rings_ended, stopped;
static unsigned records_forgotten, fault_pieces, restart_pieces, reports;
static bool console_is_taken;
static bool has_limit, core_left;

/* --- stand-ins for the parts around vm_work.c --- */

void sched_add_worker(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->state, VCPU_STATE_OFF);
	vcpu->load_work = VCPU_WORKS;
	vcpu->state = VCPU_STATE_READY;
	vcpu->turns++; /* the worker preempts another vCPU */
}

void sched_leave(void)
{
	core_left = true;
}

void sched_add(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->state, VCPU_STATE_OFF);
	assert_int_equal(vcpu->load_work, 0);
	assert_int_equal(vcpu->power, VCPU_STARTING);
	assert_true(core_left); /* the vCPU preempts no other: its first turn is not counted */
	assert_int_equal(begun, 1u << vcpu->index); /* with its registers as at reset */
	vcpu->state = VCPU_STATE_READY;
}

bool vcpu_power_reset(struct vcpu *vcpu, unsigned piece)
{
	assert_int_equal(vcpu->power, VCPU_ON); /* no CPU_ON of another vCPU comes between */
	assert_int_equal(piece, power_pieces++);
	return piece + 1 < POWER_PIECES;
}

void vcpu_power_begin(struct vcpu *vcpu)
{
	begun |= 1u << vcpu->index;
	core_left = false;
}

bool vcpu_power_process_posts(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->power, VCPU_OFF);
	return ++power_pieces < POWER_PIECES;
}

void sched_remove(struct vcpu *vcpu)
{
	vcpu->state = VCPU_STATE_OFF;
}

void sched_pause(struct vcpu *vcpu)
{
	vcpu->state = VCPU_STATE_PAUSED;
}

void sched_resume(struct vcpu *vcpu)
{
	if (vcpu->state == VCPU_STATE_PAUSED)
		vcpu->state = VCPU_STATE_READY;
}

void smp_ask(unsigned core)
{
	asked |= 1u << core;
}

FAKE_VALUE_FUNC(unsigned, smp_core, (void), this_core)
FAKE_VOID_FUNC(vppi_put, (void))

bool record_try_lock(void)
{
	console_is_taken = !console_is_taken; /* by another core, every second time */
	return !console_is_taken;
}

FAKE_VOID_FUNC(record_unlock, (void))

void guest_record_forget(const struct vm *of)
{
	assert_ptr_equal(of, &vm);
	assert_false(vm_works(&vcpus[1]) || vm_works(&vcpus[2])); /* vCPU 0 alone works */
	assert_false(console_is_taken);
	records_forgotten++;
}

/* The vCPU is still as the fault left it. A restart's report has three pieces. */
bool vm_report_piece(struct vm_report *report)
{
	if (report == &vm.restarts)
		return restart_pieces && --restart_pieces;
	assert_ptr_equal(report, &vm.fault);
	assert_int_equal(interrupts_reset[vm.fault.vcpu->index], 0);
	if (fault_pieces)
		fault_pieces--;
	if (!fault_pieces)
		vm.fault.vcpu = NULL;
	return fault_pieces;
}

void vm_report_restarts(struct vcpu *vcpu)
{
	assert_ptr_equal(vcpu, &vcpus[0]);
	assert_int_equal(restart_pieces, 0);
	vm.restarts.restarts = vm.resets;
	restart_pieces = 3;
	reports++;
}

void vtimer_stop(struct vcpu *vcpu)
{
	stopped |= 1u << vcpu->index;
}

void timerq_start(struct timer *timer, uint64_t deadline)
{
	assert_ptr_equal(timer, &vm.limit_timer);
	assert_int_equal(deadline, LIMIT);
	has_limit = true;
}

void timerq_stop(struct timer *timer)
{
	for (unsigned n = 0; n < VCPUS; n++)
		if (timer == &vcpus[n].doorbell_timer) {
			rings_ended |= 1u << n;
			return;
		}
	assert_true(timer == &vm.heartbeat || timer == &vm.net_rest || timer == &vm.limit_timer);
	if (timer == &vm.limit_timer)
		has_limit = false;
}

void vm_unmap_all(struct vm *of)
{
	assert_ptr_equal(of, &vm);
	assert_int_equal(silenced, VCPUS); /* no core loads the VM's stage 2 any more */
	vm.built = false;
}

void vm_build_begin(struct vm *of)
{
	assert_ptr_equal(of, &vm);
	build_pieces = 0;
}

enum vm_build vm_build_piece(struct vm *of)
{
	assert_ptr_equal(of, &vm);
	if (build_pieces++ < BUILD_PIECES)
		return VM_BUILD_MORE;
	vm.built = true;
	return VM_BUILD_DONE;
}

FAKE_VOID_FUNC(fp_remove, (const struct fp *fp))

void vgic_reset_piece(struct vgic *vgic, unsigned piece, unsigned lr_count, bool link_hw)
{
	assert_int_equal(piece, 0);
	assert_int_equal(lr_count, 0);
	assert_false(link_hw);
	vgic->routed[0] = 0;
	silenced++;
}

bool vm_gic_release_piece(const struct vm *of, unsigned piece)
{
	assert_ptr_equal(of, &vm);
	return piece < 2;
}

bool vm_gic_reset_piece(struct vcpu *vcpu, unsigned piece)
{
	assert_int_equal(piece, interrupts_reset[vcpu->index]);
	interrupts_reset[vcpu->index]++;
	return piece < 3;
}

void vgicd_reset_piece(struct vgicd *dist, unsigned piece)
{
	assert_in_range(piece, 0, VGICD_RESET_PIECES - 1);
	assert_ptr_equal(dist, &vm.dist);
}

void cpu_guest_el2(struct vcpu *vcpu, const struct run_config *of)
{
	assert_ptr_equal(of, &config);
	vcpu->el2.cntvoff_el2 = 0;
}

FAKE_VALUE_FUNC(uint64_t, stage2_vttbr, (const struct stage2 *stage2), 0)

static bool type_restarts(struct vm *of)
{
	for (unsigned n = 0; n < VCPUS; n++)
		assert_true(vm.dismissed || interrupts_reset[n] == 4);
	assert_ptr_equal(of, &vm);
	if (used_for_pieces) {
		used_for_pieces--;
		return true;
	}
	restarts++;
	return false;
}

static bool type_reset(struct vm *of)
{
	if (image_pieces++ < IMAGE_PIECES)
		return true;
	of->cntvoff = CNTVOFF;
	return false;
}

static void keep_life(const struct vm *of)
{
	assert_ptr_equal(of, &vm);
	assert_true(vm.built);
	lives_kept++;
}

static void setup(void)
{
	type = (struct vm_type){ .restarts = type_restarts, .reset = type_reset };
	machine = (struct vm_machine){ .entry = ENTRY, .leaves = keep_life };
	vm = (struct vm){
		.config = &config,
		.type = &type,
		.machine = &machine,
		.vcpu_count = VCPUS,
		.outcome = VM_RESET,
		.work = VM_WORK_BEGINS,
		.built = true,
		.booted = true,
		.vcpus_on = VCPUS,
	};
	for (unsigned n = 0; n < VCPUS; n++) {
		vcpus[n] = (struct vcpu){ .vm = &vm,
					  .index = n,
					  .core = n,
					  .power = VCPU_ON,
					  .state = VCPU_STATE_BLOCKED };
		vm.vcpu[n] = &vcpus[n];
	}
	memset(interrupts_reset, 0, sizeof(interrupts_reset));
	used_for_pieces = 0;
	image_pieces = restarts = silenced = asked = this_core = 0;
	records_forgotten = reports = 0;
	build_pieces = lives_kept = rings_ended = stopped = power_pieces = begun = 0;
	has_limit = true;
}

static unsigned work(unsigned n)
{
	unsigned pieces = 0;

	for (; vm_works(&vcpus[n]); pieces++)
		vm_work_piece(&vcpus[n]);
	return pieces;
}

static void follow_all(void)
{
	for (unsigned n = 0; n < VCPUS; n++)
		vm_work_follow(&vcpus[n]);
}

/* Each core follows, and its vCPU works to the end of the current part. */
static void do_part(void)
{
	follow_all();
	for (unsigned n = 0; n < VCPUS; n++)
		work(n);
}

/* Each core follows, and its vCPU works one piece; `count` times. */
static void do_pieces(unsigned count)
{
	for (; count; count--) {
		follow_all();
		for (unsigned n = 0; n < VCPUS; n++)
			if (vm_works(&vcpus[n]))
				vm_work_piece(&vcpus[n]);
	}
}

static void forget_resets(void)
{
	memset(interrupts_reset, 0, sizeof(interrupts_reset));
	image_pieces = restarts = 0;
}

/* --- restarts --- */

EACH_TEST(setup, NULL);

TEST(no_vcpu_is_cleared_while_another_may_run)
{
	for (unsigned times = 0; times < 2; times++)
		for (unsigned n = 0; n < VCPUS - 1; n++) {
			vm_work_follow(&vcpus[n]);
			assert_int_equal(vcpus[n].state, VCPU_STATE_OFF);
			assert_false(vm_works(&vcpus[n]));
		}
	assert_int_equal(asked, 0);
	this_core = VCPUS - 1;
	vm_work_follow(&vcpus[VCPUS - 1]);
	assert_int_equal(asked, (1u << (VCPUS - 1)) - 1);
	assert_true(vm_works(&vcpus[VCPUS - 1]));
	follow_all();
	for (unsigned n = 0; n < VCPUS; n++)
		assert_true(vm_works(&vcpus[n]));
	assert_int_equal(silenced, 0);
}

/* A timer that expired meanwhile would make a PPI active that by then belongs to another vCPU. */
TEST(one_that_waits_for_the_others_has_no_timer)
{
	vcpus[1].el1.cntv_ctl_el0 = vcpus[1].el1.cntp_ctl_el0 = 1;
	vm_work_follow(&vcpus[1]);
	assert_false(vm_works(&vcpus[1]));
	assert_int_equal(stopped, 1u << 1);
	assert_int_equal(vcpus[1].el1.cntv_ctl_el0 | vcpus[1].el1.cntp_ctl_el0, 0);
}

TEST(images_come_when_every_vcpu_is_cleared)
{
	follow_all();
	follow_all();
	assert_int_equal(work(0), 1 + 3 + 4 + 1); /* the VM's SPIs, too */
	assert_int_equal(work(1), 1 + 1 + 4 + 1);
	follow_all();
	assert_false(vm_works(&vcpus[0]));
	assert_int_equal(work(2), 1 + 1 + 4 + 1);
	follow_all();
	assert_false(vm_works(&vcpus[1]) || vm_works(&vcpus[2]));
	asked = 0;
	/* another core prints at first, so the life begins in a second piece */
	assert_int_equal(work(0), 1 + 1 + VGICD_RESET_PIECES + 2 + IMAGE_PIECES + 1 + 1);
	assert_int_equal(restarts, 1);
	assert_int_equal(vm.outcome, VM_RUNNING);
	assert_int_equal(asked, 1u << 0);
	assert_int_equal(vcpus[0].power, VCPU_STARTING);
	assert_int_equal(vcpus[0].start_entry, ENTRY);
	assert_false(vm.booted);
	assert_int_equal(vm.vcpus_on, 1);
	assert_true(records_forgotten);
	for (unsigned n = 0; n < VCPUS; n++) {
		assert_int_equal(vcpus[n].state, VCPU_STATE_OFF);
		assert_int_equal(vcpus[n].el2.cntvoff_el2, CNTVOFF);
		assert_true(n == 0 || vcpus[n].power == VCPU_OFF);
	}
}

TEST(images_come_when_no_other_core_uses_a_device)
{
	do_part();
	do_part();
	used_for_pieces = 3;
	do_pieces(1 + 3); /* after the record */
	assert_int_equal(restarts + image_pieces, 0);
	assert_int_equal(used_for_pieces, 0);
	do_part();
	assert_int_equal(restarts, 1);
	assert_int_equal(vm.outcome, VM_RUNNING);
}

TEST(a_pause_stops_the_work)
{
	vm.paused = true;
	follow_all();
	follow_all();
	assert_false(vm_works(&vcpus[1]));
	vm.paused = false;
	follow_all();
	assert_true(vm_works(&vcpus[1]));
	vm.paused = true;
	vm_work_follow(&vcpus[1]);
	assert_int_equal(vcpus[1].state, VCPU_STATE_PAUSED);
	vm.paused = false;
	vm_work_follow(&vcpus[1]);
	assert_int_equal(vcpus[1].state, VCPU_STATE_READY);
}

/* The core of vCPU 1 has read VM_RESET, and follows when the VM runs or asks to start again. */
TEST(a_core_that_follows_late_finishes_no_part_of_the_next_restart)
{
	images_come_when_every_vcpu_is_cleared();
	vm_work_follow(&vcpus[1]);
	vm.outcome = VM_RESET;
	vcpus[1].state = VCPU_STATE_READY;
	vm_work_follow(&vcpus[1]);
	assert_int_equal(vcpus[1].state, VCPU_STATE_OFF); /* its SYSTEM_RESET does not return */
	vm_begin_work(&vm);
	vm_work_follow(&vcpus[0]);
	vm_work_follow(&vcpus[2]);
	vm_work_follow(&vcpus[0]);
	assert_false(vm_works(&vcpus[0]));
	vm_work_follow(&vcpus[1]);
	vm_work_follow(&vcpus[0]);
	assert_true(vm_works(&vcpus[0]) && vm_works(&vcpus[1]));
}

/* A fault ends the VM, and an event starts it again, while vCPU 1 still has a part to finish. */
TEST(a_part_of_a_restart_that_ended_is_not_finished)
{
	follow_all();
	follow_all();
	vm.outcome = VM_FAULT;
	vm_restart(&vm);
	assert_int_equal(work(1), 1 + 1 + 4 + 1);
	assert_false(vm_works(&vcpus[1]));
	vm_work_follow(&vcpus[0]);
	vm_work_follow(&vcpus[2]);
	vm_work_follow(&vcpus[0]);
	assert_false(vm_works(&vcpus[0])); /* vCPU 1 is not known to be quiet */
	vm_work_follow(&vcpus[1]);
	vm_work_follow(&vcpus[0]);
	assert_true(vm_works(&vcpus[0]));
}

TEST(before_an_event_changes_a_vm_the_record_of_its_fault_is_whole)
{
	static void (*const events[])(struct vm *) = { vm_restart, vm_dismiss };
	static const unsigned pieces[] = { 1 + 1 + 4 + 1, 1 + 1 };

	for (unsigned i = 0; i < ARRAY_SIZE(events); i++) {
		setup();
		vm.outcome = VM_FAULT;
		vm.work = 0;
		vm.fault.vcpu = &vcpus[1];
		fault_pieces = 3;
		vm_work_report(&vcpus[1]);
		vm_work_piece(&vcpus[1]);
		vm_work_report(&vcpus[1]); /* its core is asked again */
		assert_int_equal(fault_pieces, 2);
		assert_int_equal(vcpus[1].work.turns, 0);
		events[i](&vm);
		follow_all();
		follow_all();
		assert_int_equal(work(1), 1 + pieces[i]);
		assert_null(vm.fault.vcpu);
	}
}

static void restart_to_the_end(void)
{
	memset(interrupts_reset, 0, sizeof(interrupts_reset));
	image_pieces = silenced = 0;
	vm.outcome = VM_RESET;
	vm.work = VM_WORK_BEGINS;
	do_part();
	do_part();
	do_part();
	assert_int_equal(vm.outcome, VM_RUNNING);
	assert_int_equal(restart_pieces, 0);
}

/* An event that restarts the VM does not count as a restart of the guest. */
TEST(the_first_restarts_and_then_fewer_and_fewer_have_a_record)
{
	machine.reports_restarts = true;
	for (vm.resets = 1; vm.resets <= 16; vm.resets++) {
		restart_to_the_end();
		restart_to_the_end();
	}
	assert_int_equal(reports, 5);
}

TEST(beside_another_vm_no_restart_has_a_record)
{
	vm.resets = 1;
	restart_to_the_end();
	assert_int_equal(reports, 0);
}

TEST(an_event_restarts_a_vm_in_any_state)
{
	for (enum vm_outcome outcome = VM_CREATED; outcome <= VM_FAULT; outcome++) {
		setup();
		follow_all(); /* as far as the second part */
		follow_all();
		vm_work_piece(&vcpus[1]);
		vm.outcome = outcome;
		vm.paused = true;
		if (outcome == VM_RUNNING)
			vm.work = 0;
		asked = 0;
		vm_restart(&vm);
		assert_int_equal(asked, ((1u << VCPUS) - 1) & ~1u);
		assert_int_equal(vm.outcome, VM_RESET);
		assert_false(vm.paused);
		memset(interrupts_reset, 0, sizeof(interrupts_reset));
		for (unsigned n = 0; outcome != VM_RESET && n < VCPUS; n++)
			vm_work_follow(&vcpus[n]);
		if (outcome == VM_RESET)
			interrupts_reset[1] = vcpus[1].work.step == 2 ? vcpus[1].work.piece : 0;
		do_part();
		do_part();
		assert_int_equal(vm.outcome, VM_RUNNING);
	}
}

/* --- an event destroys the VM, and makes it anew --- */

/* Each vCPU does all its work, until no vCPU is a worker. */
static void work_all(void)
{
	for (unsigned parts = 0; parts < 10; parts++)
		do_part();
}

static void assert_absent(void)
{
	assert_int_equal(rings_ended, (1u << VCPUS) - 1);
	assert_int_equal(vm.outcome, VM_ABSENT);
	assert_int_equal(vm.work, 0);
	assert_int_equal(vm.smc_count + vm.resets, 0);
	assert_false(vm.built || vm.dismissed || has_limit);
}

/* An event may dismiss the VM at any point of its restart. */
TEST(a_vm_that_starts_again_leaves_without_a_start)
{
	unsigned cuts = 0;

	for (bool runs = false; !runs; cuts++) {
		setup();
		do_pieces(cuts);
		runs = vm.outcome == VM_RUNNING;
		silenced = 0;
		vm.smc_count = vm.resets = 5;
		vm.paused = true;
		vm_dismiss(&vm);
		assert_false(vm.paused);
		work_all();
		assert_absent();
		assert_int_equal(lives_kept, 1);
	}
	assert_in_range(cuts, 10, 40);
}

/* An event may ask for the new life at any time before the VM has left. */
TEST(a_vm_that_is_to_leave_is_made_anew_when_it_has_left)
{
	bool has_left = false;

	for (unsigned early = 0; !has_left; early++) {
		setup();
		vm_dismiss(&vm);
		do_pieces(early);
		has_left = vm.outcome == VM_ABSENT;
		forget_resets();
		vm_make_anew(&vm, LIMIT);
		assert_int_equal(vm.outcome, VM_RESET);
		assert_int_equal(build_pieces, 0); /* core 0 does none of the work */
		work_all();
		assert_int_equal(vm.outcome, VM_RUNNING);
		assert_int_equal(lives_kept, 1);
		assert_int_equal(build_pieces, BUILD_PIECES + 1);
		assert_int_equal(image_pieces, IMAGE_PIECES + 1);
		assert_true(has_limit);
	}
}

/* A core that begins to run the VM finds that an event came first. */
TEST(a_vm_that_is_dismissed_as_it_begins_leaves)
{
	uint32_t all = (1u << VCPUS) - 1;

	vm_work_follow(&vcpus[0]);
	vm.outcome = VM_LEAVING;  /* core 0 is about to set `dismissed` */
	vm.work = 6u << VCPU_MAX; /* the last part */
	vcpus[0].state = VCPU_STATE_OFF;
	for (unsigned n = 0; n < VCPUS; n++)
		interrupts_reset[n] = 4;
	vm_work_follow(&vcpus[0]);
	work(0);
	assert_int_equal(vm.outcome, VM_LEAVING);
	assert_int_equal(vm.work, VM_WORK_BEGINS);
	assert_int_equal(asked & ~1u, all & ~1u);
	vm.dismissed = true;
	work_all();
	assert_absent();
}

/* --- a vCPU turns itself off, or is turned on --- */

static void begin_running(void)
{
	vm.outcome = VM_RUNNING;
	vm.work = 0;
	vcpus[1].state = VCPU_STATE_OFF;
}

TEST(a_vcpu_is_off_after_the_last_piece)
{
	begin_running();
	vcpus[1].turns = 7;
	vm_work_turn_off(&vcpus[1]);
	for (unsigned piece = 0; piece < POWER_PIECES; piece++) {
		assert_true(vm_works(&vcpus[1]));
		vm_work_piece(&vcpus[1]);
	}
	assert_int_equal(vcpus[1].power, VCPU_OFF);
	assert_int_equal(vcpus[1].state, VCPU_STATE_OFF);
	assert_false(vm_works(&vcpus[1]));
	assert_int_equal(vm.work, 0); /* no part of the VM's work */
	vm_work_posts(&vcpus[1]);
	power_pieces = 0;
	assert_int_equal(work(1), POWER_PIECES);
	assert_int_equal(vcpus[1].power, VCPU_OFF);
	assert_int_equal(vcpus[1].turns, 7); /* only turns of the guest count */
}

TEST(a_vcpu_runs_after_its_registers_are_reset)
{
	begin_running();
	vcpus[1].power = VCPU_STARTING;
	vm_work_turn_on(&vcpus[1]);
	assert_int_equal(begun, 0);
	assert_int_equal(work(1), 1);
	assert_int_equal(vcpus[1].power, VCPU_ON);
	assert_int_equal(vcpus[1].state, VCPU_STATE_READY);
}

/* An event dismisses the VM while a core turns the vCPU on. No vCPU begins without a reset. */
TEST(a_vcpu_of_a_dismissed_vm_has_its_registers_reset_too)
{
	begin_running();
	vcpus[1].power = VCPU_STARTING;
	vm_work_turn_on(&vcpus[1]);
	vm_dismiss(&vm);
	work(1);
	work_all();
	assert_absent();
}

TEST(a_restart_ends_what_a_vcpu_does_alone)
{
	begin_running();
	vm_work_turn_off(&vcpus[1]);
	vm_work_piece(&vcpus[1]);
	vm_restart(&vm);
	work_all();
	assert_int_equal(power_pieces, 1);
	assert_int_equal(vm.outcome, VM_RUNNING);
	assert_int_equal(vcpus[1].power, VCPU_OFF);
}
