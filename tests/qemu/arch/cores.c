/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest with several vCPUs that checks PSCI, SGIs and private interrupts, and powers off. A
 * failed check stops the VM with its number (wrong.h). The guest runs with interrupts masked: a
 * pending interrupt ends a WFI. On ARMv7 the vCPUs other than vCPU 0 begin in Thumb state in the
 * second round. Defines: CPUS; GIC, 2 or 3; ENDING, how the guest ends; CONDUIT, hvc or smc.
 */
#include <stdbool.h>

#include "abi/hypercall.h"
#include "arch/barrier.h"
#include "arch/sysreg.h"
#include "guest_gic.h"
#include "lib/bits.h"
#include "vcpus.h"
#include "wrong.h"

#define END_OFF 0          /* SYSTEM_RESET once, then SYSTEM_OFF */
#define END_FAULT 1        /* vCPU 1 stops the VM, vCPU 0 sleeps */
#define END_FAULT_BUSY 2   /* vCPU 1 stops the VM, vCPU 0 runs */
#define END_OFF_BY_OTHER 3 /* vCPU 1: SYSTEM_OFF */
#define END_COUNT 4        /* loads from WRONG + 0x1000 + ticks of PSCI_VERSION */

#define MIGRATE_INFO_TYPE 0x84000006u
#define FEATURES 0x8400000au
#define SMCCC_VERSION 0x80000000u
#define SMCCC_ARCH_FEATURES 0x80000001u
#define WIDE 0x40000000u /* bit of an id: arguments of 64 bits */
#define NOT_SUPPORTED (-1)
#define INVALID_PARAMETERS (-2)
#define DENIED (-3)
#define ALREADY_ON (-4)
#define INVALID_ADDRESS (-9)
#define GUEST_RAM 0x40000000u
#define BEGIN ((uintptr_t)second_start)
#define HC_END (HC_BASE + HC_COUNT)
#define HC_FAR (HC_BASE + 999)

#define CONTEXT_FIRST ((uintptr_t)0x1234)
#define CONTEXT_SECOND ((uintptr_t)0x89abcdef01234567)
#define POWER_DOWN 0x10000 /* state of CPU_SUSPEND */
#define TIMER 27u
#define BARE_MPIDR 0x80000000u

struct shared {
	uint32_t was_reset;
	uintptr_t context; /* context of the vCPU that was turned on last */
};

static volatile struct shared *const shared = (struct shared *)SHARED;

static void expect(bool well, uint32_t number)
{
	while (!well)
		stop_with(number);
}

/* Call a function, with arguments of a register's width if it has such a form. */
static int32_t call(uint32_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	bool wide = id == CPU_ON || id == CPU_SUSPEND || id == AFFINITY_INFO;

	return (int32_t)psci(id | (wide ? PSCI_WIDE : 0), a1, a2, a3);
}

/* Start this vCPU's part of the GIC. The vCPUs share the distributor. */
static void gic_start(void)
{
	uint32_t vcpu = own_number();

	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, 1u << TIMER | 0xffff);
	dsb_sy();
}

/* Take and end the next interrupt; turn the timer off first if it is the timer's. Return the INTID,
 * with the source if the GIC gives one. */
static uint32_t interrupt(void)
{
	uint32_t iar;

	do {
		sleep();
		iar = acknowledge(false);
	} while ((iar & 0x3ff) == SPURIOUS);
	if ((iar & 0x3ff) == TIMER)
		cntv_set(0, 0);
	end(false, iar);
	return iar;
}

static void signal(uint32_t id, uint32_t vcpu)
{
	dsb_sy();
	send(id, 1u << vcpu);
	isb();
}

static void timer(uint32_t number)
{
	cntv_set(2000, 1);
	expect(interrupt() == TIMER, number);
}

static void count_version(void)
{
	uint32_t before = now(), nothing = now() - before;

	before = now();
	psci(PSCI_VERSION, 0, 0, 0);
	stop_with(0x1000 + now() - before - nothing);
}

#define CPU_SUSPEND_WIDE (CPU_SUSPEND | PSCI_WIDE)
#define CPU_ON_WIDE (CPU_ON | PSCI_WIDE)
#define AFFINITY_INFO_WIDE (AFFINITY_INFO | PSCI_WIDE)
static const uint32_t known[] = {
	PSCI_VERSION,      CPU_SUSPEND, CPU_OFF,           CPU_ON,   AFFINITY_INFO,
	MIGRATE_INFO_TYPE, SYSTEM_OFF,  SYSTEM_RESET,      FEATURES, SMCCC_VERSION,
	CPU_SUSPEND_WIDE,  CPU_ON_WIDE, AFFINITY_INFO_WIDE
};

/* MIGRATE, functions of later versions, and functions of other owners. The hypervisor's own calls
 * are for another guest. */
static const uint32_t unknown[] = { 0x84000005, 0x84000007, 0x8400000b, 0x8400000c,
				    0x8400000f, 0x84000012, 0x83ffffff, 0x8400ffff,
				    0x80000002, 0xc0000000, 0,          0xffffffff,
				    0x04000000, HC_BASE,    HC_END,     HC_FAR };

/* Functions that have no form with 64 bits. */
static const uint32_t narrow[] = { PSCI_VERSION, CPU_OFF, SYSTEM_OFF, SYSTEM_RESET, FEATURES };

static const struct {
	uintptr_t id, a1, a2;
	int32_t result;
} calls[] = {
	{ PSCI_VERSION, 0, 0, 0x10001 },
	{ MIGRATE_INFO_TYPE, 0, 0, 2 },
	{ SMCCC_VERSION, 0, 0, 0x10001 },
	{ SMCCC_ARCH_FEATURES, SMCCC_VERSION, 0, 0 },
	{ SMCCC_ARCH_FEATURES, SMCCC_ARCH_FEATURES, 0, 0 },
	{ SMCCC_ARCH_FEATURES, PSCI_VERSION, 0, NOT_SUPPORTED },
	{ CPU_ON, CPUS, BEGIN, INVALID_PARAMETERS },
	{ CPU_ON, 0x100, BEGIN, INVALID_PARAMETERS },
	{ CPU_ON, 0x1000001, BEGIN, INVALID_PARAMETERS },
	{ CPU_ON, BARE_MPIDR, BEGIN, INVALID_PARAMETERS },
	{ CPU_ON, 0, BEGIN, ALREADY_ON },
	{ CPU_ON, 1, 0x1000, INVALID_ADDRESS },
	{ CPU_ON, 1, GUEST_RAM - 4, INVALID_ADDRESS },
	{ CPU_ON, 1, 0xfffffffc, INVALID_ADDRESS },
	{ CPU_ON, 1, BEGIN + 2, INVALID_ADDRESS },
	{ AFFINITY_INFO, CPUS, 0, INVALID_PARAMETERS },
	{ AFFINITY_INFO, 1, 1, INVALID_PARAMETERS },
	{ CPU_SUSPEND, POWER_DOWN, 0x1000, INVALID_ADDRESS },
	{ CPU_OFF, 0, 0, DENIED }, /* the last vCPU that is on */
#ifdef __aarch64__
	/* An id has 32 bits, and so have the arguments of a call with 32 bits. */
	{ 0xdeadbeef00000000 | PSCI_VERSION, 0, 0, 0x10001 },
	{ CPU_ON, 0xff00000000, BEGIN + 0xffffffff00000000, ALREADY_ON },
	{ CPU_ON | WIDE, 0x100000000, BEGIN, INVALID_PARAMETERS },
	{ CPU_ON | WIDE, 1, BEGIN + 0x100000000, INVALID_ADDRESS },
#endif
};

static void expect_unknown(uint32_t id, uint32_t number)
{
	expect((int32_t)psci(FEATURES, id, 0, 0) == NOT_SUPPORTED, 0x500 + number);
	expect(psci(id, 1, BEGIN, 0) == (uintptr_t)NOT_SUPPORTED, 0x600 + number);
}

static void functions(void)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(known); i++)
		expect(psci(FEATURES, known[i], 0, 0) == 0, 0x400 + i);
	for (uint32_t i = 0; i < ARRAY_SIZE(unknown); i++)
		expect_unknown(unknown[i], i);
	for (uint32_t i = 0; i < ARRAY_SIZE(narrow); i++)
		expect_unknown(narrow[i] | WIDE, 0x80 + i);
	for (uint32_t i = 0; i < ARRAY_SIZE(calls); i++)
		expect(psci(calls[i].id, calls[i].a1, calls[i].a2, 0) == (uintptr_t)calls[i].result,
		       0x700 + i);
	for (uint32_t bit = 0; bit < 32; bit++)
		if ((bit > 16 && bit < 24) || bit > 25) /* reserved in a state */
			expect((int32_t)psci(CPU_SUSPEND, 1u << bit, BEGIN, 0) ==
				       INVALID_PARAMETERS,
			       0x800 + bit);
}

static void wait_for_the_end(void)
{
	while (ENDING == END_FAULT || ENDING == END_OFF_BY_OTHER)
		sleep();
	while (ENDING == END_FAULT_BUSY)
		;
}

static void one_round(uint32_t vcpu, const char *entry, uintptr_t context)
{
	int32_t state;

	shared->context = 0;
	expect(call(AFFINITY_INFO, vcpu, 0, 0) == 1, 8);
	expect(call(CPU_ON, vcpu, (uintptr_t)entry, context) == 0, 9);
	wait_for_the_end();
	while (!shared->context)
		__asm__ volatile("yield");
	expect(shared->context == context, 10);
	expect(call(CPU_ON, vcpu, (uintptr_t)entry, 0) == -4, 11);
	expect(call(AFFINITY_INFO, vcpu, 0, 0) == 0, 12);

	signal(3, vcpu);
	expect(interrupt() == (GIC == 2 ? vcpu << 10 | 5 : 5), 13);
	timer(14);
	signal(4, vcpu);
	do {
		/* EL2 needs some turns of this loop for CPU_OFF. */
		for (unsigned n = 0; n < 10; n++)
			__asm__ volatile("yield");
		state = call(AFFINITY_INFO, vcpu, 0, 0);
	} while (!state);
	expect(state == 1, 15);
}

/* The timer's interrupt ends the suspension and is still pending. */
static void suspend(void)
{
	cntv_set(3000, 1);
	expect(call(CPU_SUSPEND, 0, 0, 0) == 0, 16);
	expect(interrupt() == TIMER, 17);
	cntv_set(3000, 1);
	call(CPU_SUSPEND, POWER_DOWN, (uintptr_t)second_start, CONTEXT_SECOND);
	expect(false, 18);
}

static void awake(uintptr_t context)
{
	expect(context == CONTEXT_SECOND, 19);
	gic_start();
	expect(interrupt() == TIMER, 20);
	if (!shared->was_reset) {
		shared->was_reset = 1;
		call(SYSTEM_RESET, 0, 0, 0);
		expect(false, 21);
	}
	shared->was_reset = 0;
	call(SYSTEM_OFF, 0, 0, 0);
	expect(false, 22);
}

void first_main(void)
{
	gic_start();
	expect(call(PSCI_VERSION, 0, 0, 0) == 0x10001, 1);
	expect((uint32_t)read_mpidr_el1() == BARE_MPIDR, 2);
	timer(3);
	if (ENDING == END_COUNT)
		count_version();
	functions();
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++) {
		one_round(vcpu, second_start, CONTEXT_FIRST);
		one_round(vcpu, second_start_again, CONTEXT_SECOND);
	}
	suspend();
}

/* A vCPU begins here when it is turned on, and vCPU 0 when it wakes up. */
void second_main(uintptr_t context)
{
	if (own_number() == 0)
		awake(context);
	expect(((uint32_t)read_mpidr_el1() & ~0xffu) == BARE_MPIDR, 32);
	expect(!(read_sctlr_el1() & 5), 33); /* M, C */
	expect(!read_cntv_ctl_el0(), 34);
	expect(ENDING != END_FAULT && ENDING != END_FAULT_BUSY, 0x100);
	if (ENDING == END_OFF_BY_OTHER)
		call(SYSTEM_OFF, 0, 0, 0);
	gic_start();
	shared->context = context;
	dsb_sy();
	expect(interrupt() == 3, 35); /* from vCPU 0 */
	timer(36);
	signal(5, 0);
	expect(interrupt() == 4, 37);
	cntv_set(1, 1); /* the vCPU goes off with its timer about to signal */
	call(CPU_OFF, 0, 0, 0);
	expect(false, 38);
}
