/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vCPU's number, and what it leaves when it is off. Core 0 stands for all: what another one is to
 * do for its vCPU is done at once, and so is all that lies beside this.
 */
/* LINK: hyp/vm/vm_cores.c hyp/arch/common/cpu.c hyp/arch/armv8/cpu.c hyp/arch/armv8/newer.c */
/* LINK: drivers/timer/generic_timer.c hyp/cpu/timerq.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/sysreg.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "hyp/arch/guest.h"
#include "hyp/arch/guest_control.h"
#include "hyp/cpu/fp.h"
#include "hyp/cpu/smp.h"
#include "hyp/cpu/smp_boot.h"
#include "hyp/sched/sched.h"
#include "hyp/trap/trap.h"
#include "hyp/vcpu/vcntp.h"
#include "hyp/vcpu/vtimer.h"
#include "hyp/vm/psci.h"
#include "hyp/vm/vm_cores.h"
#include "hyp/vm/vm_gic.h"
#include "tests/unit/fake/fake.h"

#define VCPUS 2
#define PHYSICAL_MPIDR 0x8000000f02ull /* Aff3 0x80, Aff1 0xf, Aff0 2; and not U */
#define CONTEXT 0x1234
#define ENTRY 0x40200004
#define FIRST_ENTRY 0x40200000
#define DTB 0x41000000

static const struct run_config config = { .stage2 = STAGE2_2M, .irq = IRQ_TRAPPED };
static struct vcpu vcpus[VCPUS];
static struct vm vm;
static struct vm_machine machine;
static struct vm_type type;
static uint64_t numbers[VCPUS]; /* VMPIDR_EL2 as each was told to take part */
static unsigned runs, waits, kicked, begun;
static unsigned stopped_timers, stopped_private;
static void (*in_guest)(struct vcpu *vcpu);
static struct vcpu *on_core_0;

/* --- what lies beside it --- */

/* What core 0 has for itself is as its own vCPU's call left it, whoever was called since. */
void smp_call(unsigned core, void (*fn)(void *argument), void *argument)
{
	struct vcpu *vcpu = argument;

	assert_int_equal(core, vcpu->core);
	assert_int_equal(vcpu->power, VCPU_OFF);
	fn(argument);
	numbers[vcpu->index] = vcpu->el2.vmpidr_el2;
	if (vcpu->core == 0)
		on_core_0 = vcpu;
	else if (on_core_0)
		fn(on_core_0);
}

unsigned smp_core(void)
{
	return 0;
}

void smp_kick(unsigned core)
{
	kicked |= 1u << core;
}

void smp_process_calls(void)
{
}

void smp_wait(void)
{
	vm.cores_in = 0;
}

void vcntp_reset(struct vcpu *vcpu)
{
	(void)vcpu;
	stopped_timers++;
}

void vtimer_stop(struct vcpu *vcpu)
{
	(void)vcpu;
}

/* EL2's registers, as far as it is looked at them here. */
void vcpu_begin(struct vcpu *vcpu)
{
	write_hcr_el2(vcpu->el2.hcr_el2);
}

void vgicd_reset_private(struct vcpu *vcpu)
{
	assert_int_equal(vcpu->power, VCPU_ON); /* nobody turns it on before it is off */
	stopped_private++;
}

void vcpu_run(struct vcpu *vcpu)
{
	runs++;
	in_guest(vcpu);
}

void vm_gic_reset_core(struct vcpu *vcpu)
{
	(void)vcpu;
}

const struct board board = { .name = "none" };

void vm_fault(struct vcpu *vcpu, enum fault_reason reason, uint32_t esr, va_t va, ipa_t ipa)
{
	(void)vcpu;
	(void)reason;
	(void)esr;
	(void)va;
	(void)ipa;
	fail();
}

static struct vcpu *added;

void sched_reset(const struct run_config *of)
{
	(void)of;
}

void sched_add(struct vcpu *vcpu)
{
	added = vcpu;
}

struct vcpu *sched_begin(void)
{
	return added;
}

void sched_leave(void)
{
}

void fp_start(enum fp_mode mode, struct fp *guest)
{
	(void)mode;
	(void)guest;
}

unsigned smp_boot_bring_up(unsigned count, void (*idle)(void))
{
	(void)idle;
	return count;
}

void cpu_use_vectors(struct vcpu *vcpu, const struct run_config *of)
{
	(void)vcpu;
	(void)of;
}

/* HCR_EL2.VM: stage 2 */
uint32_t guest_hcr(const struct run_config *of)
{
	(void)of;
	return 1;
}

reg_t guest_mdcr(const struct run_config *of)
{
	(void)of;
	return 0;
}

void cpu_reset_debug(void)
{
}

void cpu_reset_pmu(void)
{
}

uint64_t stage2_vttbr(const struct stage2 *stage2)
{
	(void)stage2;
	return 0;
}

void gic_cpu_abandon(void)
{
}

void gic_private_reset(void)
{
}

void gic_cpu_init(bool split_eoi)
{
	(void)split_eoi;
}

void gic_enable(unsigned intid)
{
	(void)intid;
}

uint32_t gic_ack(void)
{
	return GIC_SPECIAL_BASE;
}

void gic_eoi(uint32_t iar)
{
	(void)iar;
}

void gic_deactivate(uint32_t iar)
{
	(void)iar;
}

void gic_virt_off(void)
{
}

void gic_virt_cpu_reset(void)
{
}

/* --- it --- */

static void set_registers(struct vcpu *vcpu)
{
	assert_ptr_equal(vcpu, &vcpus[0]);
	vcpu->frame.x[0] = DTB;
}

static void starting(void)
{
	assert_int_equal(runs, 0);
	begun++;
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	memset(vcpus, 0, sizeof(vcpus));
	memset(numbers, 0, sizeof(numbers));
	machine = (struct vm_machine){ .cpus = VCPUS, .entry = FIRST_ENTRY };
	type = (struct vm_type){
		.numbered = true,
		.set_registers = set_registers,
		.starting = starting,
	};
	vm = (struct vm){
		.config = &config,
		.machine = &machine,
		.type = &type,
		.vcpu_count = VCPUS,
		.vcpu = { &vcpus[0], &vcpus[1] },
		.outcome = VM_RUNNING,
	};
	for (unsigned n = 0; n < VCPUS; n++)
		vcpus[n] = (struct vcpu){ .vm = &vm, .index = n, .core = n };
	on_core_0 = NULL;
	runs = waits = kicked = begun = 0;
	stopped_timers = stopped_private = 0;
	fake_mpidr_el1 = PHYSICAL_MPIDR;
	return 0;
}

static void an_unmodified_guests_vcpus_are_numbered(void **state)
{
	(void)state;
	vm_cores_begin(&vm);
	assert_int_equal(numbers[0], 0x80000000);
	assert_int_equal(numbers[1], 0x80000001);
}

static void one_alone_is_one_of_several_too(void **state)
{
	(void)state;
	vm.vcpu_count = 1;
	vm_cores_begin(&vm);
	assert_int_equal(numbers[0], 0x80000000);
}

static void the_bench_guest_has_the_cores_number(void **state)
{
	(void)state;
	type.numbered = false;
	vm.vcpu_count = 1;
	vm_cores_begin(&vm);
	assert_int_equal(numbers[0], PHYSICAL_MPIDR);
}

static void turn_off(struct vcpu *vcpu)
{
	assert_int_not_equal(fake_hcr_el2 & 1, 0); /* VM: stage 2 */
	write_cntv_ctl_el0(1);
	write_cntp_ctl_el0(1);
	stopped_timers = 0; /* those of its beginning */
	(void)vcpu;
}

static void begin_anew(struct vcpu *vcpu)
{
	if (runs == 1) {
		assert_int_equal(fake_elr_el2, FIRST_ENTRY);
		assert_int_equal(vcpu->frame.x[0], DTB);
		turn_off(vcpu);
		return;
	}
	assert_int_equal(vcpu->power, VCPU_ON);
	assert_int_equal(fake_elr_el2, ENTRY);
	assert_int_equal(vcpu->frame.x[0], CONTEXT);
	assert_int_not_equal(fake_hcr_el2 & 1, 0);
	assert_int_equal(fake_cntv_ctl_el0, 0);
	turn_off(vcpu);
}

/* It waits, off. */
struct vcpu *trap_irq(struct vcpu *vcpu)
{
	waits++;
	assert_int_equal(fake_cntv_ctl_el0, 0);
	assert_int_equal(fake_cntp_ctl_el0, 0);
	assert_int_equal(fake_cnthp_ctl_el2, 0);
	assert_int_equal(fake_hcr_el2 & 1, 0);
	assert_int_equal(vcpu->power, VCPU_OFF);
	if (in_guest == begin_anew && waits == 1) {
		vcpu->power = VCPU_STARTING;
		vcpu->start_entry = ENTRY;
		vcpu->start_context = CONTEXT;
	} else {
		vm.outcome = VM_DONE;
	}
	return vcpu;
}

static void run(void)
{
	vm_cores_begin(&vm);
	vm_cores_run(&vm, 0);
}

static void off_nothing_of_it_signals(void **state)
{
	(void)state;
	in_guest = turn_off;
	run();
	assert_int_equal(runs, 1);
	assert_int_equal(waits, 1);
	assert_int_equal(stopped_timers, 1);
	assert_int_equal(stopped_private, 1);
}

static void on_again_it_begins_where_it_is_to(void **state)
{
	(void)state;
	in_guest = begin_anew;
	run();
	assert_int_equal(runs, 2);
	assert_int_equal(waits, 2);
	assert_int_equal(stopped_private, 2);
	assert_int_equal(begun, 1);
	assert_int_equal(kicked, 2); /* core 1, when all is over */
}

static void in_nobody(struct vcpu *vcpu)
{
	assert_ptr_equal(vcpu, NULL);
}

/* Core 0 has vCPU 1, which waits; vCPU 0 is started elsewhere. */
static void vcpu_0_may_have_any_core(void **state)
{
	(void)state;
	vcpus[0].core = 3;
	vcpus[1].core = 0;
	in_guest = in_nobody;
	run();
	assert_int_equal(runs, 0);
	assert_int_equal(waits, 1);
	assert_int_equal(kicked, 1u << 3);
	assert_int_equal(vcpus[0].power, VCPU_STARTING);
	assert_int_equal(vcpus[0].start_entry, FIRST_ENTRY);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_unmodified_guests_vcpus_are_numbered),
		TEST(one_alone_is_one_of_several_too),
		TEST(the_bench_guest_has_the_cores_number),
		TEST(off_nothing_of_it_signals),
		TEST(on_again_it_begins_where_it_is_to),
		TEST(vcpu_0_may_have_any_core),
	};

	return cmocka_run_group_tests_name("vm_cores", tests, NULL, NULL);
}
