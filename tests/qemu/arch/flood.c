/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs write the interrupt controller as fast as they can, each write with as much
 * to do as it can have: whole registers of pending, active and enabled interrupts, of each other's
 * too, new priorities and targets, SGIs to all. Each makes STEPS of them. With interrupts masked.
 * Defines: CPUS; GIC, 2 or 3; STEPS, of a vCPU; SEED; WIDE, 1 where two registers are written at
 * once, as AArch64 can; FULL, 0 where only what takes the lock is mixed: the clock counts in an
 * exit what other cores execute meanwhile, and what they do without waiting for each other would be
 * most of it.
 */
#include "guest_gic.h"
#include "vcpus.h"

#define GICC_DIR 0x08011000u
#define BANKS_END 0x400u
#define INTIDS 128u

#define ALONE (CPUS == 1)
#define ALL_OF_IT (ALONE || FULL)

#if GIC == 2
/* `split`: an end in two steps. */
static void both_on(bool split)
{
	mmio_write32(GICC + 4, 0xff); /* PMR */
	mmio_write32(GICC, 7 | (uint32_t)split << 9);
}

static void deactivate(uint32_t iar)
{
	mmio_write32(GICC_DIR, iar);
}

static void route_some(uint32_t *seed)
{
	uint32_t targets = below(seed, 2) ? 0x01010101u << below(seed, CPUS) : below(seed, ~0u);

	mmio_write32(GICD + ITARGETSR + below(seed, INTIDS / 4) * 4, targets);
}
#else
static void both_on(bool split)
{
	__asm__ volatile("msr s3_0_c4_c6_0, %0\n\t"
			 "msr s3_0_c12_c12_6, %1\n\t"
			 "msr s3_0_c12_c12_7, %1\n\t"
			 "msr s3_0_c12_c12_4, %2\n\t"
			 "isb" ::"r"(0xfful),
			 "r"(1ul), "r"((uint64_t)split << 1));
}

static void deactivate(uint32_t iar)
{
	__asm__ volatile("msr s3_0_c12_c11_1, %0\n\tisb" ::"r"((uint64_t)iar)); /* DIR */
}

static void route_some(uint32_t *seed)
{
	mmio_write64(GICD + IROUTER + 8 * (32 + below(seed, INTIDS - 32)), below(seed, CPUS));
}
#endif

/* Everything, mostly; or nothing, or some. */
static uint32_t value(uint32_t *seed)
{
	switch (below(seed, 8)) {
	case 0:
		return 0;
	case 1:
		return below(seed, ~0u);
	default:
		return ~0u;
	}
}

/* Not in full: registers that all share, of interrupts without physical ones. */
static uintptr_t register_at(uint32_t *seed, uint32_t bank, uint32_t bits_each)
{
	uint32_t word = ALL_OF_IT ? below(seed, 4) : 1;
	uintptr_t base = GICD;

	if (GIC == 3 && (word == 0 || (!ALL_OF_IT && below(seed, 4) == 0))) {
		base = private_of(below(seed, CPUS));
		word = 0;
	}
	return base + bank + 4 * (word * bits_each + below(seed, bits_each));
}

/* As wide as can be. */
static void write(uint32_t *seed, uintptr_t address, uint32_t low, uint32_t high)
{
	if (WIDE && below(seed, 2))
		mmio_write64(address & ~(uintptr_t)7, (uint64_t)high << 32 | low);
	else
		mmio_write32(address, low);
}

static void write_bits(uint32_t *seed)
{
	uint32_t bank = IGROUPR + below(seed, (BANKS_END - IGROUPR) / 0x80) * 0x80;
	uint32_t all = value(seed);

	if (below(seed, 8))
		write(seed, register_at(seed, bank, 1), all, all);
	else
		mmio_read32(register_at(seed, bank, 1));
}

static void write_priorities(uint32_t *seed)
{
	uint32_t priorities = below(seed, ~0u);

	write(seed, register_at(seed, IPRIORITYR, 8), priorities, ~priorities);
}

static void take_some(uint32_t *seed)
{
	uint32_t iar = acknowledge(false);

	if (below(seed, 2) && (iar & 0x3ff) < INTIDS)
		end(false, iar);
	if (below(seed, 2))
		deactivate(below(seed, INTIDS));
	if (below(seed, 16) == 0)
		both_on(below(seed, 2));
}

static void step(uint32_t *seed)
{
	switch (below(seed, 16)) {
	case 0:
		mmio_write32(GICD, below(seed, 4));
		break;
	case 1:
		if (ALL_OF_IT || below(seed, 4) == 0)
			send(below(seed, 16), (1u << CPUS) - 1);
		break;
	case 2:
		write(seed, register_at(seed, ICFGR, 2), value(seed), value(seed));
		break;
	case 3:
	case 4:
		write_priorities(seed);
		break;
	case 5:
	case 6:
		route_some(seed);
		break;
	case 7:
		if (ALL_OF_IT || below(seed, 4) == 0)
			take_some(seed);
		break;
	case 8:
		mmio_write32(GICD, 3);
		break;
	default:
		write_bits(seed);
		break;
	}
}

/* In full vCPU 0 ends it: the others may sleep for ever without it. Otherwise the last one does,
 * which cannot be turned off. */
static void flood(uint32_t vcpu)
{
	bool sleeps = FULL && vcpu;
	uint32_t seed = SEED + vcpu;

	both_on(false);
	for (uint32_t n = 0; n < STEPS || sleeps; n++) {
		step(&seed);
		if (sleeps && below(&seed, 64) == 0)
			__asm__ volatile("wfi");
	}
	if (!FULL)
		psci(CPU_OFF, 0, 0, 0);
	psci(SYSTEM_OFF, 0, 0, 0);
}

void first_main(void)
{
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++)
		psci(CPU_ON, vcpu, (uintptr_t)second_start, vcpu);
	flood(0);
}

void second_main(uint32_t vcpu)
{
	flood(vcpu);
}
