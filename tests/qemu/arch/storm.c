/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs, all at once and at random, do things for which one core asks another: SGIs,
 * accesses to each other's interrupts, new targets of SPIs, vCPUs turned on and off. Meanwhile any
 * vCPU resets the VM, and in the last life powers it off. The guest runs with interrupts masked. An
 * error stops the VM with a number. Defines: CPUS; GIC, 2 or 3; SPI, the first SPI; LIVES.
 */
#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define TIMER 27u
#define SPIS 4u
#define STEPS_MEAN 50u /* steps in a life */

#define DENIED (-3)
#define ALREADY_ON (-4)
#define ON_PENDING (-5)

static volatile uint32_t *const lives = (uint32_t *)SHARED;
static uint32_t *const seeds = (uint32_t *)SHARED + 1; /* one per vCPU, kept while it is off */

static int call(uintptr_t id, uintptr_t a1, uintptr_t a2, uintptr_t a3)
{
	return (int)(uint32_t)psci(id, a1, a2, a3);
}

static void expect(bool well, uint32_t number)
{
	if (!well)
		stop_with(number);
}

static void private_on(uint32_t vcpu)
{
	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, 1u << TIMER | 0xffff);
}

static void take_all(void)
{
	uint32_t iar;

	while (((iar = acknowledge(false)) & 0x3ff) != SPURIOUS) {
		if ((iar & 0x3ff) == TIMER)
			cntv_set(1u << 30, 1);
		end(false, iar);
	}
}

/* The next interrupt, the timer's at the latest, ends the sleep. */
static void nap(uint32_t *seed)
{
	cntv_set(1 + below(seed, 3000), 1);
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
		mmio_read32(private_of(vcpu) + ISPENDR);
		break;
	case 3:
		mmio_read32(bank + ISPENDR);
		break;
	case 4:
		mmio_write32(private_of(vcpu) + ISPENDR, 1u << (16 + below(seed, 16)));
		break;
	case 5:
	case 6:
		route(intid, vcpu);
		break;
	case 7:
		mmio_write32(bank + ISENABLER, bit);
		break;
	case 8:
		mmio_write32(bank + ICENABLER, bit);
		break;
	case 9:
		mmio_write32(bank + ISPENDR, bit);
		break;
	case 10:
		mmio_read32(UART + 0x18);
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
		nap(seed);
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
	private_on(vcpu);
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
