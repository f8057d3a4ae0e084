/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs do at random, all at once, what one core asks another one for: SGIs, accesses
 * to each other's interrupts, SPIs sent elsewhere, vCPUs turned on and off; in the midst of that
 * any of them resets the VM, and in its last life turns it off. With interrupts masked. What is
 * wrong stops the VM with a number. Defines: CPUS; GIC, 2 or 3; SPI, the first one; LIVES.
 */
#include <stdbool.h>
#include <stdint.h>

#include "wrong.h"

#define GICD 0x08000000u
#define GICC 0x08010000u
#define GICR_SGI 0x080b0000u /* vCPU 0's */
#define GICR_STRIDE 0x20000u
#define UART 0x09000000u
#define SHARED 0x41000000u /* not loaded: what is there lives through a reset */

#define ISENABLER 0x100u
#define ICENABLER 0x180u
#define ISPENDR 0x200u
#define TIMER 27u
#define SPIS 4u
#define SPURIOUS 1023u
#define STEPS_MEAN 50u /* of a life */

#define CPU_SUSPEND 0x84000001u
#define CPU_OFF 0x84000002u
#define CPU_ON 0x84000003u
#define AFFINITY_INFO 0x84000004u
#define SYSTEM_OFF 0x84000008u
#define SYSTEM_RESET 0x84000009u

#define DENIED (-3)
#define ALREADY_ON (-4)
#define ON_PENDING (-5)

static volatile uint32_t *const lives = (uint32_t *)SHARED;
static uint32_t *const seeds = (uint32_t *)SHARED + 1; /* a vCPU each: it goes on when on again */

uintptr_t psci(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3);
extern char second_start[];
void first_main(void);
void second_main(uint32_t vcpu);

static volatile uint32_t *word(uintptr_t address)
{
	return (volatile uint32_t *)address;
}

static int call(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	return (int)(uint32_t)psci(id, a1, a2, a3);
}

static void expect(bool well, uint32_t number)
{
	if (!well)
		stop_with(number);
}

static uint32_t below(uint32_t *seed, uint32_t limit)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return (uint32_t)((uint64_t)*seed * limit >> 32);
}

#if GIC == 2
static void interface_on(uint32_t vcpu)
{
	(void)vcpu;
	*word(GICD) = 1;
	*word(GICD + ISENABLER) = 1u << TIMER;
	*word(GICC + 4) = 0xff; /* PMR */
	*word(GICC) = 1;
}

static uint32_t acknowledge(void)
{
	return *word(GICC + 0xc);
}

static void end(uint32_t iar)
{
	*word(GICC + 0x10) = iar;
}

static void route(uint32_t intid, uint32_t vcpu)
{
	*(volatile uint8_t *)(uintptr_t)(GICD + 0x800 + intid) = (uint8_t)(1u << vcpu);
}

static void send(uint32_t id, uint32_t vcpus)
{
	*word(GICD + 0xf00) = vcpus << 16 | id; /* SGIR */
}

static uintptr_t private_of(uint32_t vcpu)
{
	(void)vcpu;
	return GICD;
}
#else
static uintptr_t private_of(uint32_t vcpu)
{
	return GICR_SGI + vcpu * GICR_STRIDE;
}

static void interface_on(uint32_t vcpu)
{
	*word(GICD) = 0x12; /* ARE, Group 1 */
	*word(private_of(vcpu) + 0x80) = ~0u;
	*word(private_of(vcpu) + ISENABLER) = 1u << TIMER | 0xffff;
	for (unsigned i = 1; i < 4; i++)
		*word(GICD + 0x80 + 4 * i) = ~0u;               /* IGROUPR */
	__asm__ volatile("msr s3_0_c4_c6_0, %0" ::"r"(0xfful)); /* ICC_PMR_EL1 */
	__asm__ volatile("msr s3_0_c12_c12_7, %0" ::"r"(1ul));  /* ICC_IGRPEN1_EL1 */
	__asm__ volatile("isb");
}

static uint32_t acknowledge(void)
{
	uint64_t iar;

	__asm__ volatile("mrs %0, s3_0_c12_c12_0" : "=r"(iar)); /* ICC_IAR1_EL1 */
	return (uint32_t)iar;
}

static void end(uint32_t iar)
{
	__asm__ volatile("msr s3_0_c12_c12_1, %0\n\tisb" ::"r"((uint64_t)iar)); /* EOIR1 */
}

static void route(uint32_t intid, uint32_t vcpu)
{
	*(volatile uint64_t *)(GICD + 0x6000ul + 8 * intid) = vcpu;
}

static void send(uint32_t id, uint32_t vcpus)
{
	__asm__ volatile("msr s3_0_c12_c11_5, %0" ::"r"((uint64_t)id << 24 | vcpus)); /* SGI1R */
}
#endif

static void timer_on(uint32_t ticks)
{
#ifdef __aarch64__
	__asm__ volatile(
		"msr cntv_tval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" ::"r"((uint64_t)ticks),
		"r"(1ul));
#else
	__asm__ volatile(
		"mcr p15, 0, %0, c14, c3, 0\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(ticks),
		"r"(1));
#endif
}

static void take_all(void)
{
	uint32_t iar;

	while (((iar = acknowledge()) & 0x3ff) != SPURIOUS) {
		if ((iar & 0x3ff) == TIMER)
			timer_on(1u << 30);
		end(iar);
	}
}

/* What comes meanwhile, the timer at the latest, ends the sleep. */
static void sleep(uint32_t *seed)
{
	timer_on(1 + below(seed, 3000));
	expect(call(CPU_SUSPEND, 0, 0, 0) == 0, 1);
	take_all();
}

static void turn_on(uint32_t vcpu)
{
	int result = call(CPU_ON, vcpu, (uintptr_t)second_start, vcpu);

	expect(result == 0 || result == ALREADY_ON || result == ON_PENDING, 2);
}

static void step(uint32_t *seed)
{
	uint32_t vcpu = below(seed, CPUS);
	uint32_t intid = SPI + below(seed, SPIS);
	uintptr_t bank = GICD + intid / 32 * 4;
	uint32_t bit = 1u << intid % 32;

	switch (below(seed, 16)) {
	case 0:
	case 1:
		send(below(seed, 16), below(seed, 1u << CPUS));
		break;
	case 2:
		(void)*word(private_of(vcpu) + ISPENDR);
		break;
	case 3:
		(void)*word(bank + ISPENDR);
		break;
	case 4:
		*word(private_of(vcpu) + ISPENDR) = 1u << (16 + below(seed, 16));
		break;
	case 5:
	case 6:
		route(intid, vcpu);
		break;
	case 7:
		*word(bank + ISENABLER) = bit;
		break;
	case 8:
		*word(bank + ICENABLER) = bit;
		break;
	case 9:
		*word(bank + ISPENDR) = bit;
		break;
	case 10:
		(void)*word(UART + 0x18);
		break;
	case 11:
		turn_on(vcpu);
		break;
	case 12:
		expect((uint32_t)call(AFFINITY_INFO, vcpu, 0, 0) <= 2, 3);
		break;
	case 13:
		if (below(seed, 8) == 0)
			expect(call(CPU_OFF, 0, 0, 0) == DENIED, 4);
		break;
	case 14:
		sleep(seed);
		break;
	default:
		take_all();
		break;
	}
}

static void storm(uint32_t vcpu)
{
	uint32_t *seed = &seeds[vcpu];

	*seed += !*seed * (vcpu + 1);
	interface_on(vcpu);
	while (below(seed, STEPS_MEAN * CPUS))
		step(seed);
	call(*lives == LIVES ? SYSTEM_OFF : SYSTEM_RESET, 0, 0, 0);
	expect(false, 5);
}

void first_main(void)
{
	++*lives;
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++)
		turn_on(vcpu);
	storm(0);
}

void second_main(uint32_t vcpu)
{
	storm(vcpu);
}
