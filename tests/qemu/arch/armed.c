/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that arms CNTV for ever, as NuttX and Zephyr do. It stops with 1 where CNTVCT is not
 * CNTPCT: with an offset, QEMU's timers fail where CVAL plus CNTVOFF passes 2^64. Defines: CPUS.
 */
#include <stdint.h>

#include "vcpus.h"
#include "wrong.h"

static void arm_for_ever(void)
{
#ifdef __aarch64__
	__asm__ volatile("msr cntv_cval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" ::"r"(~0ull),
			 "r"((uint64_t)1));
#else
	__asm__ volatile(
		"mcrr p15, 3, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(~0ull),
		"r"(1));
#endif
}

/* CNTVCT is read between the two. */
static int has_an_offset(void)
{
	uint64_t before, virtual, after;

#ifdef __aarch64__
	__asm__ volatile("isb\n\tmrs %0, cntpct_el0\n\tisb\n\tmrs %1, cntvct_el0\n\tisb\n\t"
			 "mrs %2, cntpct_el0"
			 : "=&r"(before), "=&r"(virtual), "=&r"(after)::"memory");
#else
	__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14\n\tisb\n\t"
			 "mrrc p15, 1, %Q1, %R1, c14\n\tisb\n\tmrrc p15, 0, %Q2, %R2, c14"
			 : "=&r"(before), "=&r"(virtual), "=&r"(after)::"memory");
#endif
	return virtual < before || virtual > after;
}

void first_main(void)
{
	arm_for_ever();
	if (has_an_offset())
		stop_with(1);
	psci(SYSTEM_OFF, 0, 0, 0);
}

void second_main(void)
{
}
