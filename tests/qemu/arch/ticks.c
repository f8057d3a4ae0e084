/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest with a periodic tick that lets its timer run late: the handler moves the compare value by
 * one period, so that the line may be high still at the EOI. A tick that is lost leaves the guest
 * asleep. With interrupts masked. Defines: CPUS; GIC, 2 or 3; TIMER, 27 for CNTV or 30 for CNTP;
 * ROUNDS, after which the guest ends.
 */
#include <stdint.h>

#include "guest_gic.h"
#include "vcpus.h"
#include "wrong.h"

#define PERIOD 20000u

#ifdef __aarch64__
#define READ(name, to) __asm__ volatile("isb\n\tmrs %0, " #name : "=r"(to)::"memory")
#define WRITE(name, from) __asm__ volatile("msr " #name ", %0\n\tisb" ::"r"(from) : "memory")
static uint64_t clock(void)
{
	uint64_t now;

	if (TIMER == 27)
		READ(cntvct_el0, now);
	else
		READ(cntpct_el0, now);
	return now;
}

static void arm(uint64_t cval)
{
	if (TIMER == 27) {
		WRITE(cntv_cval_el0, cval);
		WRITE(cntv_ctl_el0, (uint64_t)1);
	} else {
		WRITE(cntp_cval_el0, cval);
		WRITE(cntp_ctl_el0, (uint64_t)1);
	}
}
#else
#define VIRTUAL (TIMER == 27)
static uint64_t clock(void)
{
	uint64_t now;

	if (VIRTUAL)
		__asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(now)::"memory");
	else
		__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14" : "=r"(now)::"memory");
	return now;
}

static void arm(uint64_t cval)
{
	if (VIRTUAL)
		__asm__ volatile(
			"mcrr p15, 3, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(
				cval),
			"r"(1));
	else
		__asm__ volatile(
			"mcrr p15, 2, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c2, 1\n\tisb" ::"r"(
				cval),
			"r"(1));
}
#endif

void first_main(void)
{
	uint64_t due;
	uint32_t iar;

	interface_on(0);
	mmio_write32(private_of(0) + ISENABLER, 1u << TIMER);
	due = clock() + PERIOD;
	arm(due);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		while (((iar = acknowledge(false)) & 0x3ff) == SPURIOUS)
			__asm__ volatile("dsb sy\n\twfi" ::: "memory");
		if ((iar & 0x3ff) != TIMER)
			stop_with(iar & 0x3ff);
		if (round % 4 == 1) /* the next one is due within this handler */
			while (clock() < due + PERIOD + PERIOD / 2)
				;
		due += PERIOD;
		arm(due);
		end(false, iar);
	}
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(void)
{
}
