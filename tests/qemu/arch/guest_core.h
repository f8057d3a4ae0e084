/* SPDX-License-Identifier: Apache-2.0 */
/* The core that an unmodified guest runs on: its number, interrupt masks, counter and timers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __aarch64__
static inline uint32_t own_number(void)
{
	uint64_t mpidr;

	__asm__ volatile("mrs %0, mpidr_el1" : "=r"(mpidr));
	return mpidr & 3;
}

static inline void unmask(void)
{
	__asm__ volatile("msr daifclr, #3" ::: "memory");
}

static inline void mask(void)
{
	__asm__ volatile("msr daifset, #3" ::: "memory");
}

static inline uint64_t count(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
}

/* CNTV at a compare value. */
static inline void cntv_at(uint64_t cval, uintptr_t control)
{
	__asm__ volatile("msr cntv_cval_el0, %0\n\tmsr cntv_ctl_el0, %1\n\tisb" ::"r"(cval),
			 "r"(control));
}

static inline uintptr_t load_two(uintptr_t address) /* ANDed */
{
	uint64_t low, high;

	__asm__ volatile("ldp %0, %1, [%2]" : "=r"(low), "=r"(high) : "r"(address) : "memory");
	return low & high;
}

/* CurrentEL */
static inline uint32_t entry_state(void)
{
	uint64_t level;

	__asm__ volatile("mrs %0, currentel" : "=r"(level));
	return (uint32_t)level;
}

/* By the boot protocol of Linux, at EL1. */
static inline bool as_booted(uintptr_t x0, uintptr_t x1, uintptr_t x2, uintptr_t x3, uintptr_t dtb)
{
	return x0 == dtb && !(x1 | x2 | x3) && entry_state() == 1 << 2;
}

static inline void invalidate_line(uintptr_t address)
{
	__asm__ volatile("dc ivac, %0" ::"r"(address) : "memory");
}

static inline uint32_t timers_on(void)
{
	uint64_t virtual, physical;

	__asm__ volatile("mrs %0, cntv_ctl_el0\n\tmrs %1, cntp_ctl_el0"
			 : "=r"(virtual), "=r"(physical));
	return (uint32_t)(virtual << 8 | physical);
}

static inline void sleep(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#define TIMER_SET(name)                                                                            \
	static inline void name##_set(uint32_t ticks, uint32_t control)                            \
	{                                                                                          \
		__asm__ volatile("msr " #name "_tval_el0, %0\n\tmsr " #name                        \
				 "_ctl_el0, %1\n\tisb" ::"r"((uint64_t)ticks),                     \
				 "r"((uint64_t)control)                                            \
				 : "memory");                                                      \
	}
TIMER_SET(cntv)
TIMER_SET(cntp)
#else
static inline uint32_t own_number(void)
{
	uint32_t mpidr;

	__asm__ volatile("mrc p15, 0, %0, c0, c0, 5" : "=r"(mpidr));
	return mpidr & 3;
}

static inline void unmask(void)
{
	__asm__ volatile("cpsie if" ::: "memory");
}

static inline void mask(void)
{
	__asm__ volatile("cpsid if" ::: "memory");
}

static inline uint64_t count(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(ticks)::"memory");
	return ticks;
}

static inline void cntv_at(uint64_t cval, uintptr_t control)
{
	__asm__ volatile(
		"mcrr p15, 3, %Q0, %R0, c14\n\tmcr p15, 0, %1, c14, c3, 1\n\tisb" ::"r"(cval),
		"r"(control));
}

static inline uintptr_t load_two(uintptr_t address) /* ANDed */
{
	register uint32_t low __asm__("r2"), high __asm__("r3");

	__asm__ volatile("ldm %2, {r2, r3}" : "=r"(low), "=r"(high) : "r"(address) : "memory");
	return low & high;
}

/* CPSR, without its flags */
static inline uint32_t entry_state(void)
{
	uint32_t cpsr;

	__asm__ volatile("mrs %0, cpsr" : "=r"(cpsr));
	return cpsr & ~0xf8000000u;
}

/* By the boot protocol of Linux, in Supervisor mode. */
static inline bool as_booted(uintptr_t r0, uintptr_t r1, uintptr_t r2, uintptr_t r3, uintptr_t dtb)
{
	(void)r3;
	return !r0 && r1 == 0xffffffff && r2 == dtb && (entry_state() & 0x1f) == 0x13;
}

static inline void invalidate_line(uintptr_t address)
{
	__asm__ volatile("mcr p15, 0, %0, c7, c6, 1" ::"r"(address) : "memory"); /* DCIMVAC */
}

static inline uint32_t timers_on(void)
{
	uint32_t virtual, physical;

	__asm__ volatile("mrc p15, 0, %0, c14, c3, 1\n\tmrc p15, 0, %1, c14, c2, 1"
			 : "=r"(virtual), "=r"(physical));
	return virtual << 8 | physical;
}

static inline void sleep(void)
{
	__asm__ volatile("wfi" ::: "memory");
}

#define TIMER_SET(name, crm)                                                                       \
	static inline void name##_set(uint32_t ticks, uint32_t control)                            \
	{                                                                                          \
		__asm__ volatile("mcr p15, 0, %0, c14, " crm ", 0\n\tmcr p15, 0, %1, c14, " crm    \
				 ", 1\n\tisb" ::"r"(ticks),                                        \
				 "r"(control)                                                      \
				 : "memory");                                                      \
	}
TIMER_SET(cntv, "c3")
TIMER_SET(cntp, "c2")
#endif

static inline uint32_t now(void)
{
	return (uint32_t)count();
}
