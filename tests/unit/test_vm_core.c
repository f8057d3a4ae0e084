/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of one core during the life of its vCPUs: two VMs, each with its vCPU 0 on this core. */
/* LINK: hyp/vm/vm_begin.c hyp/vm/vcpu_power.c */
/* LINK: hyp/vm/vm_core.c hyp/arch/armv8/cpu.c hyp/arch/armv8/newer.c */
/* LINK: hyp/arch/common/cpu.c hyp/arch/common/guest.c */
/* LINK: drivers/timer/generic_timer.c hyp/cpu/timerq.c */
#include <string.h>

#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"
#include "hyp/arch/vectors.h"
#include "hyp/base/record.h"
#include "hyp/cpu/fp.h"
#include "hyp/sched/sched.h"
#include "hyp/vcpu/vppi.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vcpu_power.h"
#include "hyp/vm/vgicd.h"
#include "hyp/vm/vm_core.h"
#include "hyp/vm/vm_gic.h"
#include "hyp/vm/vm_work.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

#define VCPUS 2
#define PHYSICAL_MPIDR 0x8000000f02ull /* Aff3 0x80, Aff1 0xf, Aff0 2; and not U */
#define CONTEXT 0x1234
#define ENTRY 0x40200004
#define DTB 0x41000000
#define VTTBR 0x0007000012340000ull
#define LIMIT 5000
#define TIMER 27
#define SPI 40

static const struct run_config config = { .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED };
static struct vcpu vcpus[VCPUS];
static struct vm vm[VCPUS];
static struct vm_type type;
static struct {
	unsigned added, removed, left, processed, put, told, gic_reset, gic_stopped, posts_loaded;
	unsigned workers, workers_wait;
	unsigned ppis_put, private_reset, interface_reset, timers_reset, work_left, fp_removed;
	struct vcpu *last_added, *ppis, *restarting;
	struct vm *faulted;
	const struct vcpu *reporting;
	enum fault_reason reason;
} seen;

const struct board board = { .name = "none" };

/* --- stand-ins for the parts around vm_core.c --- */

void sched_reset(const struct run_config *of)
{
	assert_ptr_equal(of, &config);
}

void sched_add(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->state, VCPU_STATE_OFF);
	assert_int_equal(vcpu->power, VCPU_STARTING); /* VCPU_ON is set after sched_add() */
	vcpu->state = VCPU_STATE_READY;
	seen.added++;
	seen.last_added = vcpu;
}

void sched_remove(struct vcpu *vcpu)
{
	seen.removed += vcpu->state != VCPU_STATE_OFF;
	vcpu->state = VCPU_STATE_OFF;
}

void vm_work_leave(struct vcpu *vcpu)
{
	sched_remove(vcpu);
	seen.work_left++;
}

void vm_work_report(struct vcpu *vcpu)
{
	seen.reporting = vcpu;
}

void vm_work_follow(struct vcpu *vcpu)
{
	seen.restarting = vcpu;
}

/* A worker that has its turn at once. */
void vm_work_turn_on(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->state, VCPU_STATE_OFF);
	seen.workers++;
	if (seen.workers_wait) {
		vcpu->state = VCPU_STATE_READY;
		return;
	}
	vcpu_power_begin(vcpu);
	sched_add(vcpu);
	vcpu->power = VCPU_ON;
}

void vm_work_posts(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->state, VCPU_STATE_OFF);
	while (vcpu_power_process_posts(vcpu))
		;
}

FAKE_VOID_FUNC(vgicd_reset, (struct vgicd * dist))

void sched_pause(struct vcpu *vcpu)
{
	assert_int_not_equal(vcpu->state, VCPU_STATE_OFF);
	vcpu->state = VCPU_STATE_PAUSED;
}

void sched_resume(struct vcpu *vcpu)
{
	if (vcpu->state == VCPU_STATE_PAUSED)
		vcpu->state = VCPU_STATE_READY;
}

void sched_leave(void)
{
	seen.left++;
}

void vcpu_put(struct vcpu *vcpu)
{
	assert_int_equal(seen.added, seen.put); /* before the scheduler has the vCPU */
	vcpu->elr = read_elr_el2();
	seen.put++;
}

void fp_reset(enum fp_mode mode)
{
	assert_int_equal(mode, config.fp);
}

void fp_remove(const struct fp *fp)
{
	seen.fp_removed++;
}

void vppi_load(struct vcpu *vcpu)
{
	seen.ppis = vcpu;
}

/* This comes before vgic_reset(), since it uses the state of the virtual GIC. */
void vppi_put(void)
{
	seen.ppis = NULL;
	seen.ppis_put++;
}

void vgic_reset(struct vgic *vgic, unsigned lr_count, bool link_hw)
{
	vgic->posted.kinds = 0;
	seen.gic_stopped++;
	assert_int_equal(seen.ppis_put, seen.gic_stopped);
}

struct vcpu *vppi_owner(unsigned intid)
{
	assert_true(intid < GIC_PRIVATE_COUNT);
	return seen.ppis;
}

void vgicd_process_posts(struct vcpu *vcpu)
{
	assert_ptr_equal(seen.ppis, vcpu);
	assert_int_equal(seen.posts_loaded, 1);
	vcpu->vgic.posted.kinds &= vcpu->vgic.posted.kinds - 1;
	seen.processed++;
}

bool vgicd_reset_private_piece(struct vcpu *vcpu, unsigned piece)
{
	assert_ptr_equal(seen.ppis, vcpu);
	assert_int_equal(seen.posts_loaded, 1);
	assert_int_equal(seen.private_reset, piece);
	seen.private_reset++;
	return piece < 2;
}

FAKE_VOID_FUNC(gic_virt_off, (void))
FAKE_VOID_FUNC(guest_record_forget, (const struct vm *of))
FAKE_VALUE_FUNC(bool, record_try_lock, (void), true)
FAKE_VOID_FUNC(record_unlock, (void))

void gic_virt_cpu_reset(void)
{
	seen.interface_reset++;
}

void gic_virt_save(struct gic_virt_state *state)
{
	assert_int_equal(seen.posts_loaded, 1);
	seen.posts_loaded = 0;
}

void gic_virt_restore(const struct gic_virt_state *state)
{
	seen.posts_loaded = 1;
}

void vcntp_reset(struct vcpu *vcpu)
{
	seen.timers_reset++;
}

FAKE_VOID_FUNC(vtimer_stop, (struct vcpu * vcpu))

void vm_gic_reset_core(const struct run_config *of)
{
	assert_ptr_equal(of, &config);
}

void vm_gic_reset_vcpu(struct vcpu *vcpu)
{
	seen.gic_reset++;
}

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	assert_true(esr == 0 && va == 0 && ipa == 0);
	seen.faulted = vcpu->vm;
	seen.reason = reason;
	vcpu->vm->outcome = VM_FAULT;
}

const char vectors[1], vectors_full[1];
#define X(kind, name, ...) const char vectors_##name[1], vectors_full_##name[1];
VECTOR_KINDS(X)
#undef X

FAKE_VOID_FUNC(cpu_reset_debug, (void))
FAKE_VALUE_FUNC(uint64_t, stage2_vttbr, (const struct stage2 *stage2), VTTBR)

static void set_registers(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->index, 0);
	vcpu->frame.x[0] = DTB;
	seen.told++;
}

static void setup(void)
{
	fake_reset();
	fake_counter_step = 0;
	fake_mpidr_el1 = PHYSICAL_MPIDR;
	memset(&seen, 0, sizeof(seen));
	type = (struct vm_type){ .set_registers = set_registers };
	for (unsigned n = 0; n < VCPUS; n++) {
		timerq_stop(&vm[n].limit_timer);
		timerq_stop(&vm[n].heartbeat);
		vm[n] = (struct vm){ .config = &config, .type = &type, .vcpu_count = 1 };
		vm[n].vcpu[0] = &vcpus[n];
		vm[n].outcome = VM_RUNNING;
		vm[n].limit = LIMIT * (n + 1);
		vcpus[n] = (struct vcpu){ .vm = &vm[n], .power = VCPU_ON };
	}
	vm_core_reset((void *)(uintptr_t)&config);
	for (unsigned n = 0; n < VCPUS; n++)
		vm_core_attach(&vcpus[n]);
}

static void turn_on(unsigned n)
{
	vcpus[n].start_entry = ENTRY;
	vcpus[n].start_context = CONTEXT;
	vcpus[n].power = VCPU_STARTING;
	vm_core_process();
}

static void turn_on_both(void)
{
	turn_on(0);
	turn_on(1);
}

static void turn_off(unsigned n)
{
	sched_remove(&vcpus[n]);
	vm_core_off(&vcpus[n]);
}

static void expire_at(uint64_t ticks)
{
	fake_cntpct_el0 = ticks;
	timerq_expire();
}

EACH_TEST(setup, NULL);

/* --- attach --- */

TEST(one_that_is_attached_is_off_and_has_its_registers)
{
	for (unsigned n = 0; n < VCPUS; n++) {
		assert_int_equal(vcpus[n].power, VCPU_OFF);
		assert_int_equal(vcpus[n].vttbr, VTTBR);
		assert_int_equal(vcpus[n].el2.hcr_el2 & 1, 1);
	}
	assert_int_equal(seen.gic_reset, VCPUS);
	vm_core_process();
	vcpus[0].power = VCPU_CLAIMED; /* another core is still writing */
	vm_core_process();
	vm[0].outcome = VM_DONE;
	turn_on(0);
	assert_int_equal(seen.added, 0);
}

/* With the real GIC a vCPU has the number of its core. */
TEST(vcpus_are_numbered_as_their_gic_knows_them)
{
	static const struct run_config direct = { .stage2 = STAGE2_2M };

	assert_int_equal(vcpus[0].el2.vmpidr_el2, 0x80000000);
	vm[0].config = &direct;
	vm_core_detach(&vcpus[0]);
	vm_core_attach(&vcpus[0]);
	assert_int_equal(vcpus[0].el2.vmpidr_el2, PHYSICAL_MPIDR);
	vcpus[1].index = 3;
	vm_core_attach(&vcpus[1]);
	assert_int_equal(vcpus[1].el2.vmpidr_el2, 0x80000003);
}

TEST(without_a_gic_none_is_reset)
{
	type.no_gic = true;
	vm_core_attach(&vcpus[0]);
	assert_int_equal(seen.gic_reset, VCPUS);
}

/* The virtual GIC of a detached vCPU may belong to a new VM. */
TEST(one_that_is_detached_has_no_interrupt)
{
	bit_set(vcpus[1].vgic.routed, SPI);
	assert_ptr_equal(vm_core_owner(SPI), &vcpus[1]);
	assert_null(vm_core_owner(SPI + 1));
	assert_null(vm_core_owner(VIRQ_COUNT));
	seen.ppis = &vcpus[0];
	assert_ptr_equal(vm_core_owner(TIMER), &vcpus[0]);
	vm_core_detach(&vcpus[1]);
	assert_null(vm_core_owner(SPI));
}

/* --- on and off --- */

TEST(it_begins_where_it_is_to)
{
	turn_on(0);
	assert_int_equal(vcpus[0].power, VCPU_ON);
	assert_int_equal(vcpus[0].elr, ENTRY);
	assert_int_equal(vcpus[0].frame.x[0], DTB); /* the VM's first start */
	assert_int_equal(seen.told, 1);
	assert_ptr_equal(seen.last_added, &vcpus[0]);
	assert_int_equal(vcpus[1].power, VCPU_OFF);
	vm_core_process();
	assert_int_equal(seen.added, 1); /* added once */
	assert_int_equal(fake_counts.tlbi_core_guests, 1);
}

TEST(on_again_it_has_its_context)
{
	turn_on(0);
	turn_off(0);
	assert_int_equal(seen.told, 1);
	turn_on(0);
	assert_int_equal(seen.told, 1);
	assert_int_equal(vcpus[0].frame.x[0], CONTEXT);
	assert_int_equal(seen.added, 2);
}

TEST(off_nothing_of_it_signals)
{
	turn_on(0);
	write_hcr_el2(vcpus[0].el2.hcr_el2);
	write_cntv_ctl_el0(1);
	write_cntp_ctl_el0(1);
	seen.timers_reset = 0;
	turn_off(0);
	assert_int_equal(fake_cntv_ctl_el0 | fake_cntp_ctl_el0, 0);
	assert_int_equal(fake_hcr_el2 & 1, 0);
	assert_int_equal(seen.timers_reset, 1);
	assert_int_equal(seen.private_reset, 0); /* a worker does that */
	assert_int_equal(seen.interface_reset, 1);
	assert_int_equal(vcpus[0].power, VCPU_ON); /* until the vCPU is saved and reset */
}

TEST(a_piece_of_the_reset_has_the_list_registers_and_ppis_of_its_vcpu)
{
	vppi_load(&vcpus[1]);
	assert_true(vcpu_power_reset(&vcpus[0], 0));
	assert_int_equal(seen.posts_loaded, 0);
	vppi_load(&vcpus[1]); /* another vCPU runs between two pieces */
	assert_true(vcpu_power_reset(&vcpus[0], 1));
	assert_false(vcpu_power_reset(&vcpus[0], 2));
}

TEST(a_vcpu_that_is_to_start_has_one_worker)
{
	seen.workers_wait = 1;
	turn_on(0);
	vm_core_process();
	assert_int_equal(seen.workers, 1);
	assert_int_equal(vcpus[0].power, VCPU_STARTING);
	vm[0].paused = true;
	vm_core_process();
	assert_int_equal(vcpus[0].state, VCPU_STATE_PAUSED);
	vm[0].paused = false;
	vm_core_process();
	assert_int_equal(vcpus[0].state, VCPU_STATE_READY);
}

TEST(posts_to_one_that_is_off_are_processed)
{
	vcpus[1].vgic.posted.kinds = 5;
	vm_core_process();
	assert_int_equal(seen.processed, 2);
	assert_int_equal(vcpus[1].vgic.posted.kinds, 0);
	vm_core_process();
	assert_int_equal(seen.processed, 2);
	turn_on(1);
	vcpus[1].vgic.posted.kinds = 1; /* the load of the vCPU processes it */
	vm_core_process();
	assert_int_equal(seen.processed, 2);
}

/* --- pause --- */

/* The vCPU sleeps in WFI and another VM's vCPU has the core. */
TEST(a_vcpu_that_sleeps_is_paused_with_its_vm)
{
	turn_on(0);
	vcpus[0].state = VCPU_STATE_BLOCKED;
	vm[0].paused = true;
	vm_core_process();
	assert_int_equal(vcpus[0].state, VCPU_STATE_PAUSED);
}

/* --- fail over --- */

static struct vcpu elsewhere;

/* Make VM 0 active and VM 1 its paused standby, which also has a vCPU on core 3. */
static void begin_pair(void)
{
	static struct vm_machine machines[VCPUS] = { { .partner = &vm[1] }, { .partner = &vm[0] } };

	elsewhere = (struct vcpu){ .vm = &vm[1], .core = 3, .state = VCPU_STATE_PAUSED };
	vm[1].vcpu[vm[1].vcpu_count++] = &elsewhere;
	for (unsigned n = 0; n < VCPUS; n++) {
		vm[n].machine = &machines[n];
		turn_on(n);
	}
	vm[1].paused = true;
	vm_core_process();
	fake_asked = 0;
}

static void assert_active(unsigned n)
{
	for (unsigned i = 0; i < VCPUS; i++) {
		assert_int_equal(vm[i].paused, i != n);
		assert_int_equal(vcpus[i].state, i == n ? VCPU_STATE_READY : VCPU_STATE_PAUSED);
	}
	assert_int_equal(elsewhere.state, VCPU_STATE_PAUSED); /* its own core resumes it */
}

/* The standby was reset, and paused before its core's loop had started it. */
TEST(a_standby_that_was_to_start_is_started)
{
	begin_pair();
	turn_off(1);
	turn_on(1);
	assert_int_equal(vcpus[1].power, VCPU_STARTING);
	assert_true(vm_fail_over(&vm[0]));
	assert_int_equal(fake_asked, 1u << 3);
	assert_int_equal(seen.left, 1);
}

TEST(a_fault_fails_over_and_is_kept)
{
	begin_pair();
	fake_elr_el2 = 0x5678;
	assert_true(vm_fault_fails_over(&vcpus[0], FAULT_DATA_ABORT, 0x1234));
	assert_active(1);
	assert_int_equal(vm[0].faults.count, 1);
	assert_int_equal(vm[0].faults.reason, FAULT_DATA_ABORT);
	assert_int_equal(vm[0].faults.ipa, 0x1234);
	assert_int_equal(vm[0].faults.pc, 0x5678);
	vm[1].outcome = VM_FAULT; /* no partner runs */
	assert_false(vm_fault_fails_over(&vcpus[0], FAULT_SERROR, 0));
	assert_int_equal(vm[0].faults.count, 1);
}

TEST(a_late_heartbeat_fails_over)
{
	struct probe_stamps stamps = { .issued = 1 };

	begin_pair();
	write_tpidr_el2((reg_t)&stamps);
	timerq_start(&vm[0].heartbeat, LIMIT / 2);
	expire_at(LIMIT / 2 - 1);
	assert_active(0);
	assert_int_equal(stamps.fails_over, 0);
	expire_at(LIMIT / 2 + 7);
	write_tpidr_el2(0);
	assert_active(1);
	assert_int_equal(stamps.issued, 1);
	assert_int_equal(stamps.fails_over, LIMIT / 2 + 7);
	assert_int_equal(stamps.paused, LIMIT / 2 + 7);
}

static unsigned expired;

static void count_expiry(struct timer *timer)
{
	expired++;
}

/* These timers are its heartbeat, the rest of its device, and a ring that waits for its vCPU. */
TEST(the_timers_of_a_vm_end_with_the_vm)
{
	struct timer *const timers[] = { &vm[0].heartbeat, &vm[0].net_rest,
					 &vcpus[0].doorbell_timer };

	begin_pair();
	for (unsigned i = 0; i < ARRAY_SIZE(timers); i++) {
		if (i)
			timers[i]->function = count_expiry;
		timerq_start(timers[i], LIMIT / 2);
	}
	vm_core_detach(&vcpus[0]);
	expired = 0;
	expire_at(LIMIT / 2);
	assert_true(vm[1].paused);
	assert_int_equal(expired, 0);
}

/* --- the end --- */

TEST(a_vm_at_its_end_loses_its_vcpus)
{
	for (enum vm_outcome outcome = VM_DONE; outcome <= VM_FAULT; outcome++) {
		setup();
		turn_on_both();
		vm[1].outcome = outcome;
		vm_core_process();
		vm_core_process();
		assert_int_equal(vcpus[0].state, VCPU_STATE_READY);
		assert_int_equal(vcpus[1].state, VCPU_STATE_OFF);
		assert_int_equal(seen.removed, 1);
	}
}

/* Only the vCPU that caused the fault stays. */
TEST(a_vcpu_whose_fault_has_a_record_to_print_stays)
{
	turn_on_both();
	vm[1].outcome = VM_FAULT;
	vm[1].fault.vcpu = &vcpus[0];
	vm_core_process();
	assert_null(seen.reporting);
	assert_int_equal(vcpus[1].state, VCPU_STATE_OFF);
	vm[1].fault.vcpu = &vcpus[1];
	vm_core_process();
	assert_ptr_equal(seen.reporting, &vcpus[1]);
	assert_int_equal(seen.removed, 1);
}

TEST(a_vm_that_starts_again_has_work)
{
	turn_on_both();
	vm[1].outcome = VM_RESET;
	vm_core_process();
	assert_ptr_equal(seen.restarting, &vcpus[1]);
	assert_int_equal(seen.removed, 0);
}

TEST(what_is_detached_leaves_nothing)
{
	turn_on_both();
	seen.work_left = 0;
	vppi_load(&vcpus[0]);
	vm_core_detach(&vcpus[0]);
	assert_int_equal(vcpus[0].state, VCPU_STATE_OFF);
	assert_int_equal(seen.work_left, 1);
	assert_int_equal(seen.fp_removed, 1);
	assert_int_equal(seen.gic_stopped, 1);
	assert_null(seen.ppis);
	assert_false(timer_is_queued(&vm[0].limit_timer));
	assert_true(timer_is_queued(&vm[1].limit_timer));
	vcpus[0].power = VCPU_STARTING;
	vm_core_process();
	assert_int_equal(seen.added, 2); /* the vCPU is detached */
	vm_core_detach(&vcpus[0]);
	assert_int_equal(seen.removed, 1);
	vm_core_detach(&vcpus[1]);
	assert_int_equal(seen.removed, 2);
}

/* --- the limit --- */

/* A step's limit is known once all images are loaded, which may take longer than the limit. */
TEST(each_vm_has_its_limit)
{
	turn_on_both();
	vm[0].limit = LIMIT + 100;
	expire_at(LIMIT + 99);
	assert_null(seen.faulted);
	expire_at(LIMIT + 100);
	assert_ptr_equal(seen.faulted, &vm[0]);
	assert_int_equal(seen.reason, FAULT_TIME_LIMIT);
	assert_int_equal(seen.left, 1); /* whichever vCPU is loaded */
	expire_at(2 * LIMIT);
	assert_ptr_equal(seen.faulted, &vm[1]);
}
