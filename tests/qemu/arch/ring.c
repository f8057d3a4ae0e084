/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest whose vCPUs sleep: one has a turn, in which it sleeps until its timer's interrupt, and
 * sends the next one an SGI. An interrupt that is lost leaves all asleep; one that was not sent
 * stops the VM with a number, which is the vCPU's, as does a clock that goes back, from 8 on. With
 * interrupts masked. Defines: CPUS; GIC, 2 or 3; ROUNDS, after which the guest ends.
 */
#include <stdint.h>

#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define TIMER 27u
#define TURN 1u /* the SGI */
#define TICKS 2000u

static uint64_t clock(void)
{
	uint64_t now;

#ifdef __aarch64__
	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now)::"memory");
#else
	__asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(now)::"memory");
#endif
	return now;
}

static void timer(uint64_t cval, uintptr_t on)
{
#ifdef __aarch64__
	__asm__ volatile("msr cntv_cval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" ::"r"(cval),
			 "r"(on));
#else
	__asm__ volatile(
		"mcrr p15, 3, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(cval),
		"r"(on));
#endif
}

static void sleep_until(uint32_t vcpu, uint32_t intid)
{
	uint32_t iar;

	while (((iar = acknowledge(false)) & 0x3ff) == SPURIOUS)
		__asm__ volatile("dsb sy\n\twfi" ::: "memory");
	if ((iar & 0x3ff) != intid)
		stop_with(vcpu);
	timer(0, 0);
	end(false, iar);
}

static void turn(uint32_t vcpu)
{
	uint64_t until = clock() + TICKS;

	timer(until, 1);
	sleep_until(vcpu, TIMER);
	if (clock() < until)
		stop_with(8 + vcpu);
	send(TURN, 1u << (vcpu + 1) % CPUS);
}

static void begin(uint32_t vcpu)
{
	interface_on(vcpu);
	mmio_write32(private_of(vcpu) + ISENABLER, 1u << TIMER | 1u << TURN);
}

void first_main(void)
{
	begin(0);
	for (uint32_t vcpu = 1; vcpu < CPUS; vcpu++)
		psci(CPU_ON, vcpu, (uintptr_t)second_start, vcpu);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		turn(0);
		sleep_until(0, TURN);
	}
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(uint32_t vcpu)
{
	begin(vcpu);
	for (;;) {
		sleep_until(vcpu, TURN);
		turn(vcpu);
	}
}
