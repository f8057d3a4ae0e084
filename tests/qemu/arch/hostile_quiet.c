/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the hostile guest's plan that only measure: see hostile.c. */
#include "hostile.h"

#define REPEATS 16u
#define ARRIVAL 10000u /* loops until accesses to other vCPUs' registers have reached their cores */

/* --- measuring --- */

void figure(uint32_t which, uint32_t repeat, uint32_t ticks)
{
	if (repeat == 0)
		return; /* the first pass is cold */
	if (!shared->figure[which])
		shared->figure[which] = ticks;
	expect(!COMPARE || shared->figure[which] == ticks, 16 + which);
}

/* Hide the number of the pass from the compiler, so that it compiles no pass on its own. */
static uint32_t any(uint32_t repeat)
{
	__asm__("" : "+r"(repeat));
	return repeat;
}

/* Measure a window around the operation, whose start is at the same distance in each pass. */
#define MEASURE(which, operation)                                                                  \
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {                                    \
		uint32_t start = now();                                                            \
                                                                                                   \
		operation;                                                                         \
		figure(which, any(repeat), now() - start);                                         \
	}

/* Measure from the start of the operation to the take of its interrupt. */
#define MEASURE_TAKEN(which, operation)                                                            \
	for (uint32_t repeat = 0; repeat < REPEATS; repeat++) {                                    \
		uint32_t start = now();                                                            \
                                                                                                   \
		shared->in_step[0] = 0;                                                            \
		operation;                                                                         \
		while (!shared->in_step[0])                                                        \
			continue;                                                                  \
		figure(which, any(repeat), shared->taken_at - start);                              \
	}

static uint32_t sum_of(uint32_t sum, uintptr_t start, uint32_t size)
{
	for (uintptr_t at = start; at < start + size; at += 4)
		sum = (sum << 5 | sum >> 27) ^ mmio_read32(at);
	return sum;
}

/* Return the sum of a vCPU's own registers. */
uint32_t private_state(uint32_t vcpu)
{
	uintptr_t base = private_of(vcpu);
	uint32_t sum = timers_on();

	for (uint32_t bank = IGROUPR; bank < IPRIORITYR; bank += 0x80)
		sum = sum_of(sum, base + bank, 4);
	sum = sum_of(sum, base + IPRIORITYR, 32);
	sum = sum_of(sum, base + ICFGR, 8);
#if GIC == 2
	sum = sum_of(sum, GICC, 0xc);
	return sum_of(sum, GICC + 0x14, 0x100);
#else
	uint64_t pmr, bpr, group0, group1, control;

	__asm__ volatile("mrs %0, s3_0_c4_c6_0\n\t"
			 "mrs %1, s3_0_c12_c12_3\n\t"
			 "mrs %2, s3_0_c12_c12_6\n\t"
			 "mrs %3, s3_0_c12_c12_7\n\t"
			 "mrs %4, s3_0_c12_c12_4"
			 : "=r"(pmr), "=r"(bpr), "=r"(group0), "=r"(group1), "=r"(control));
	return sum ^ (uint32_t)(pmr | bpr << 8 | group0 << 16 | group1 << 17 | control << 20);
#endif
}

/* Return the sum of all registers, the state of an unused machine. */
static uint32_t state(void)
{
	uint32_t sum = sum_of(sum_of(private_state(0), GICD, 0x1000), UART + 4, 0xffc);

	sum = sum_of(sum_of(sum, 0, 64), FLASH_BANK, 64);
#if GIC == 3
	sum = sum_of(sum, GICD + IROUTER, 0x400);
	for (uint32_t vcpu = 0; vcpu < CPUS; vcpu++) {
		sum = sum_of(sum, GICR + GICR_STRIDE * vcpu, 0x100);
		sum = sum_of(sum, GICR + GICR_STRIDE * vcpu + GICR_SGI, 0x1000);
	}
#endif
	return sum;
}

static void others_come_and_go(void)
{
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++) {
		uint32_t before = shared->visits[vcpu];

		expect(psci_hvc(PSCI + CPU_ON, vcpu, (uintptr_t)sled, 0) == 0, 2);
		while (psci_hvc(PSCI + AFFINITY_INFO, vcpu, 0, 0) != OFF)
			continue;
		expect(shared->visits[vcpu] == before + 1, 3);
	}
}

/* Print the number of steps so far. */
static void report_steps(void)
{
	uint32_t steps = 0;

	for (uint32_t vcpu = 0; vcpu < CPUS; vcpu++)
		steps += shared->steps[vcpu];
	print("\nhostile steps 0x");
	print_hex(steps, 8);
	print("\n");
}

void measure(void)
{
	shared->quiet = 1;
	figure(STATE, 1, state());
	mmio_write32(private_of(0) + IGROUPR, ~0u);
	mmio_write32(private_of(0) + ISENABLER, 1u << PHYSICAL_TIMER | 1u << TIMER | 1);
	mmio_write32(GICD, 3);
	both_groups_on();
	for (unsigned i = 0; i < ARRIVAL; i++)
		__asm__ volatile("yield" ::: "memory");
	unmask();
	MEASURE(HVC, psci_hvc(PSCI + VERSION, 0, 0, 0))
	MEASURE(SMC, psci_smc(PSCI + VERSION, 0, 0, 0))
	MEASURE(GICD_READ, mmio_read32(GICD + ISENABLER + 4))
	MEASURE(GICD_WRITE, mmio_write32(GICD + IPRIORITYR + SPI, 0))
	MEASURE_TAKEN(SGI, send(0, 1))
	MEASURE_TAKEN(CNTV, cntv_set(1000, 1))
	MEASURE_TAKEN(CNTP, cntp_set(1000, 1))
	others_come_and_go();
	report_steps();
	psci_hvc(PSCI + SYSTEM_OFF, 0, 0, 0);
}
