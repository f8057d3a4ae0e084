/* SPDX-License-Identifier: Apache-2.0 */
/* The core that an unmodified guest runs on: its number, interrupt masks, counter and timers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/barrier.h"
#include "arch/sysreg.h"

#ifdef __aarch64__
#define UNMASK "msr daifclr, #3"
#define MASK "msr daifset, #3"
#define LOAD_TWO "ldp %0, %1, [%2]"
#define INVALIDATE_LINE "dc ivac, %0"
#define FIRST_OF_TWO
#define SECOND_OF_TWO

static inline uint32_t entry_state(void)
{
	return (uint32_t)read_currentel();
}

/* Return true if the guest was started by the boot protocol of Linux, at EL1. */
static inline bool as_booted(uintptr_t x0, uintptr_t x1, uintptr_t x2, uintptr_t x3, uintptr_t dtb)
{
	return x0 == dtb && !(x1 | x2 | x3) && entry_state() == 1 << 2;
}
#else
#define UNMASK "cpsie if"
#define MASK "cpsid if"
#define LOAD_TWO "ldm %2, {%0, %1}"
#define INVALIDATE_LINE "mcr p15, 0, %0, c7, c6, 1" /* DCIMVAC */
#define FIRST_OF_TWO __asm__("r2")
#define SECOND_OF_TWO __asm__("r3")

/* CPSR, without its flags */
static inline uint32_t entry_state(void)
{
	return read_cpsr() & ~0xf8000000u;
}

/* Return true if the guest was started by the boot protocol of Linux, in Supervisor mode. */
static inline bool as_booted(uintptr_t r0, uintptr_t r1, uintptr_t r2, uintptr_t r3, uintptr_t dtb)
{
	(void)r3;
	return !r0 && r1 == 0xffffffff && r2 == dtb && (entry_state() & 0x1f) == 0x13;
}
#endif

static inline uint32_t own_number(void)
{
	return read_mpidr_el1() & 3;
}

static inline void unmask(void)
{
	__asm__ volatile(UNMASK ::: "memory");
}

static inline void mask(void)
{
	__asm__ volatile(MASK ::: "memory");
}

static inline void sleep(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

static inline uint64_t count(void)
{
	isb();
	return read_cntvct_el0();
}

static inline uint32_t now(void)
{
	return (uint32_t)count();
}

/* <name>_at() sets a timer's compare value, <name>_set() sets it `ticks` ahead. */
#define EACH_TIMER(name, counter)                                                                  \
	static inline void name##_at(uint64_t cval, uint32_t control)                              \
	{                                                                                          \
		write_##name##_cval_el0(cval);                                                     \
		write_##name##_ctl_el0(control);                                                   \
		isb();                                                                             \
	}                                                                                          \
                                                                                                   \
	static inline void name##_set(uint32_t ticks, uint32_t control)                            \
	{                                                                                          \
		name##_at(read_##counter##_el0() + ticks, control);                                \
	}
EACH_TIMER(cntv, cntvct)
EACH_TIMER(cntp, cntpct)

static inline uint32_t timers_on(void)
{
	return (uint32_t)(read_cntv_ctl_el0() << 8 | read_cntp_ctl_el0());
}

static inline uintptr_t load_two(uintptr_t address) /* returns both words ANDed */
{
	register uintptr_t low FIRST_OF_TWO, high SECOND_OF_TWO;

	__asm__ volatile(LOAD_TWO : "=r"(low), "=r"(high) : "r"(address) : "memory");
	return low & high;
}

static inline void invalidate_line(uintptr_t address)
{
	__asm__ volatile(INVALIDATE_LINE ::"r"(address) : "memory");
}
