/* SPDX-License-Identifier: Apache-2.0 */
/* PSCI as a guest calls it: every function, every error. */
/* LINK: exit-path tests/unit/trap_vm.c drivers/gic/gicv2.c */
#include <string.h>

#include "arch/sysreg.h"
#include "hyp/sched/sched.h"
#include "hyp/vm/psci.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/trap_vm.h"
#include "tests/unit/unit.h"

#define VERSION 0x84000000u
#define CPU_SUSPEND 0x84000001u
#define CPU_OFF 0x84000002u
#define CPU_ON 0x84000003u
#define AFFINITY_INFO 0x84000004u
#define MIGRATE 0x84000005u
#define MIGRATE_INFO_TYPE 0x84000006u
#define SYSTEM_OFF 0x84000008u
#define SYSTEM_RESET 0x84000009u
#define FEATURES 0x8400000au
#define SMC64 0x40000000u
#define SMCCC_VERSION 0x80000000u
#define SMCCC_ARCH_FEATURES 0x80000001u

#define GUEST_RAM 0x40000000ull
#define GUEST_RAM_SIZE 0x4000000ull
#define ENTRY (GUEST_RAM + 0x200000)
#define POWERDOWN 0x10000u
#define VCPUS 3u

static struct vm_machine machine;
static struct run_config config;
static struct vcpu others[VCPUS - 1];

static struct vm *vm(void)
{
	return vcpu->vm;
}

static void setup(void)
{
	trap_setup();
	machine = (struct vm_machine){
		.ram = ram_plain(GUEST_RAM, GUEST_RAM, GUEST_RAM_SIZE),
	};
	config = (struct run_config){ .irq = IRQ_TRAPPED };
	memset(others, 0, sizeof(others));
	vm()->machine = &machine;
	guest_is_unmodified(true);
	vm()->config = &config;
	vm()->vcpu_count = VCPUS;
	vm()->vcpus_on = 1;
	vcpu->power = VCPU_ON;
	vcpu->index = 0;
	for (unsigned i = 1; i < VCPUS; i++) {
		vm()->vcpu[i] = &others[i - 1];
		vm()->vcpu[i]->vm = vm();
		vm()->vcpu[i]->index = i;
	}
}

static int call_as(struct vcpu *caller, uint64_t id, uint64_t a1, uint64_t a2, uint64_t a3)
{
	caller->frame.x[0] = id;
	caller->frame.x[1] = a1;
	caller->frame.x[2] = a2;
	caller->frame.x[3] = a3;
	assert_ptr_equal(psci(caller), caller);
	assert_int_equal(caller->frame.x[0], (uint64_t)(int64_t)(int32_t)caller->frame.x[0]);
	return (int)caller->frame.x[0];
}

static int call(uint64_t id, uint64_t a1, uint64_t a2, uint64_t a3)
{
	return call_as(vcpu, id, a1, a2, a3);
}

EACH_TEST(setup, NULL);

/* --- what there is --- */

TEST(versions)
{
	assert_int_equal(call(VERSION, 0, 0, 0), 0x10001);
	assert_int_equal(call(SMCCC_VERSION, 0, 0, 0), 0x10001);
	assert_int_equal(call(MIGRATE_INFO_TYPE, 0, 0, 0), 2);
}

static const uint64_t known[] = {
	VERSION,       CPU_SUSPEND,         CPU_OFF,        CPU_ON,
	AFFINITY_INFO, MIGRATE_INFO_TYPE,   SYSTEM_OFF,     SYSTEM_RESET,
	FEATURES,      CPU_SUSPEND | SMC64, CPU_ON | SMC64, AFFINITY_INFO | SMC64,
	SMCCC_VERSION,
};

static const uint64_t unknown[] = { MIGRATE,
				    0x84000007u,
				    0x8400000bu,
				    0x8400000cu,
				    0x8400000fu,
				    0x84000012u,
				    VERSION | SMC64,
				    CPU_OFF | SMC64,
				    SYSTEM_OFF | SMC64,
				    SYSTEM_RESET | SMC64,
				    FEATURES | SMC64,
				    0x83ffffffu,
				    0x8400ffffu,
				    0x80000002u,
				    0xc0000000u,
				    0,
				    0xffffffffu,
				    0x04000000u,
				    0x86000000u + 999 };

TEST(features_tell_what_there_is)
{
	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(call(FEATURES, known[i], 0, 0), 0);
	for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(call(FEATURES, unknown[i], 0, 0), PSCI_NOT_SUPPORTED);
	assert_int_equal(call(SMCCC_ARCH_FEATURES, SMCCC_VERSION, 0, 0), 0);
	assert_int_equal(call(SMCCC_ARCH_FEATURES, SMCCC_ARCH_FEATURES, 0, 0), 0);
	assert_int_equal(call(SMCCC_ARCH_FEATURES, 0x80008000u, 0, 0), PSCI_NOT_SUPPORTED);
	assert_int_equal(call(SMCCC_ARCH_FEATURES, VERSION, 0, 0), PSCI_NOT_SUPPORTED);
}

TEST(what_is_unknown_is_not_supported)
{
	for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(call(unknown[i], 1, ENTRY, 0), PSCI_NOT_SUPPORTED);
	assert_int_equal(vm()->outcome, VM_RUNNING);
}

/* The id has 32 bits (DEN0028 2.5). */
TEST(the_upper_half_of_the_id_is_ignored)
{
	assert_int_equal(call(0xdeadbeef00000000ull | VERSION, 0, 0, 0), 0x10001);
}

/* --- CPU_ON --- */

TEST(cpu_on_starts_a_vcpu)
{
	assert_int_equal(call(CPU_ON | SMC64, 2, ENTRY, 0x123456789abcdef0ull), PSCI_SUCCESS);
	assert_int_equal(others[1].power, VCPU_STARTING);
	assert_int_equal(others[1].start_entry, ENTRY);
	assert_int_equal(others[1].start_context, 0x123456789abcdef0ull);
	assert_int_equal(vm()->vcpus_on, 2);
	assert_int_equal(others[0].power, VCPU_OFF);
}

TEST(a_call_with_32_bits_has_arguments_of_32_bits)
{
	assert_int_equal(
		call(CPU_ON, 0xff00000001ull, 0xffffffff00000000ull | ENTRY, 0x123456789abcdef0ull),
		PSCI_SUCCESS);
	assert_int_equal(others[0].start_entry, ENTRY);
	assert_int_equal(others[0].start_context, 0x9abcdef0u);
}

TEST(cpu_on_tells_its_errors)
{
	static const uint64_t nobody[] = { VCPUS,          4,           0x100,         0x10000,
					   0x100000000ull, 0x80000000u, 0x1000000u | 1 };
	static const uint64_t nowhere[] = { 0, GUEST_RAM - 4, GUEST_RAM + GUEST_RAM_SIZE, ENTRY + 2,
					    0x100000000ull | ENTRY };

	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++)
		assert_int_equal(call(CPU_ON | SMC64, nobody[i], ENTRY, 0),
				 PSCI_INVALID_PARAMETERS);
	for (unsigned i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		assert_int_equal(call(CPU_ON | SMC64, 1, nowhere[i], 0), PSCI_INVALID_ADDRESS);
	assert_int_equal(call(CPU_ON, 0, ENTRY, 0), PSCI_ALREADY_ON);
	others[0].power = VCPU_CLAIMED;
	assert_int_equal(call(CPU_ON, 1, ENTRY, 0), PSCI_ON_PENDING);
	others[0].power = VCPU_STARTING;
	assert_int_equal(call(CPU_ON, 1, ENTRY, 0), PSCI_ON_PENDING);
	assert_int_equal(vm()->vcpus_on, 1);
	assert_int_equal(others[0].start_entry, 0);
}

TEST(the_last_word_of_ram_is_an_entry)
{
	assert_int_equal(call(CPU_ON, 1, GUEST_RAM + GUEST_RAM_SIZE - 4, 0), PSCI_SUCCESS);
	assert_int_equal(call(CPU_ON, 2, GUEST_RAM, 0), PSCI_SUCCESS);
}

/* --- CPU_OFF, AFFINITY_INFO --- */

TEST(affinity_info_tells_the_state)
{
	assert_int_equal(call(AFFINITY_INFO, 0, 0, 0), 0);
	assert_int_equal(call(AFFINITY_INFO | SMC64, 1, 0, 0), 1);
	call(CPU_ON, 1, ENTRY, 0);
	assert_int_equal(call(AFFINITY_INFO, 1, 0, 0), 2);
	others[0].power = VCPU_CLAIMED;
	assert_int_equal(call(AFFINITY_INFO, 1, 0, 0), 2);
	others[0].power = VCPU_ON;
	assert_int_equal(call(AFFINITY_INFO, 1, 0, 0), 0);
	assert_int_equal(call(AFFINITY_INFO, VCPUS, 0, 0), PSCI_INVALID_PARAMETERS);
	assert_int_equal(call(AFFINITY_INFO, 1, 1, 0), PSCI_INVALID_PARAMETERS);
}

/* As long as its core is not done with it, it is on. */
static void off(struct vcpu *which)
{
	which->frame.x[0] = CPU_OFF;
	assert_null(psci(which));
	assert_int_equal(which->power, VCPU_ON);
	which->power = VCPU_OFF; /* as its core does */
}

TEST(the_last_vcpu_does_not_go_off)
{
	assert_int_equal(call(CPU_OFF, 0, 0, 0), PSCI_DENIED);
	assert_int_equal(vcpu->power, VCPU_ON);
	assert_int_equal(call(CPU_ON, 1, ENTRY, 0), PSCI_SUCCESS);
	off(vcpu); /* another one is about to be on */
	others[0].power = VCPU_ON;
	assert_int_equal(call_as(&others[0], CPU_OFF, 0, 0, 0), PSCI_DENIED);
	assert_int_equal(vm()->vcpus_on, 1);
}

/* --- CPU_SUSPEND --- */

TEST(who_has_an_interrupt_pending_does_not_wait)
{
	guest_enable_and_pend(40, 0x80);
	assert_int_equal(call(CPU_SUSPEND | SMC64, 0, 0, 0), PSCI_SUCCESS);
	assert_int_equal(fake_barriers.wfi, 0);
}

TEST(power_down_goes_on_at_the_entry)
{
	sched_reset(&config);
	sched_add(vcpu);
	sched_begin();
	assert_int_equal(call(CPU_SUSPEND, POWERDOWN, ENTRY, 0x55), 0x55);
	assert_int_equal(fake_hyp.reset_entry, ENTRY);
	assert_int_equal(fake_barriers.wfi, 1);
	assert_int_equal(vcpu->power, VCPU_ON);
}

TEST(suspend_tells_its_errors)
{
	for (unsigned bit = 0; bit < 32; bit++) {
		bool reserved = (bit > 16 && bit < 24) || bit > 25;

		if (reserved)
			assert_int_equal(call(CPU_SUSPEND, 1u << bit, ENTRY, 0),
					 PSCI_INVALID_PARAMETERS);
	}
	assert_int_equal(call(CPU_SUSPEND, POWERDOWN, 0x1000, 0), PSCI_INVALID_ADDRESS);
	assert_int_equal(fake_barriers.wfi, 0);
	assert_int_equal(fake_hyp.reset_entry, 0);
}

/* --- the VM's end --- */

static void ends(uint64_t id, enum vm_outcome outcome)
{
	vcpu->frame.x[0] = id;
	assert_null(psci(vcpu));
	assert_int_equal(vm()->outcome, outcome);
}

TEST(the_bench_guest_has_another_way_to_end)
{
	guest_is_unmodified(false);
	ends(SYSTEM_OFF, VM_FAULT);
	assert_int_equal(fake_hyp.reason, FAULT_BAD_EXIT);
	vm()->outcome = VM_RUNNING;
	ends(SYSTEM_RESET, VM_FAULT);
	assert_int_equal(fake_hyp.faults, 2);
	vm()->vcpu_count = 1;
	assert_int_equal(call(CPU_ON, 1, ENTRY, 0), PSCI_INVALID_PARAMETERS);
}
