/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions that the guest and its benchmarks need by name; armv7 has the same functions. */
#pragma once

#include "arch/types.h"

#define OPS_INLINE static inline __attribute__((always_inline))

/* Takes interrupts from here on; a pending one before the next instruction. */
OPS_INLINE void irq_unmask(void)
{
	__asm__ volatile("msr daifclr, #2\n\tisb" : : : "memory");
}

OPS_INLINE void irq_mask(void)
{
	__asm__ volatile("msr daifset, #2" : : : "memory");
}

/*
 * With interrupts masked: sleeps until one is pending, then lets it in. Masked, since an interrupt
 * that arrives between the caller's last look and an unmasked WFI would be slept through.
 */
OPS_INLINE void irq_sleep(void)
{
	__asm__ volatile("wfi\n\tmsr daifclr, #2\n\tisb\n\tmsr daifset, #2" : : : "memory");
}

/* A copy that the compiler takes for new: it is in a register of its own from here on, so that
 * nothing has to be moved inside a window that uses it up. */
OPS_INLINE reg_t in_register(reg_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

OPS_INLINE void nop_10(void)
{
	__asm__ volatile(".rept 10\n\tnop\n\t.endr" : : : "memory");
}

/* Follows 256 pointers: 256 instructions, each load waits for the one before. */
OPS_INLINE reg_t chase_256(reg_t pointer)
{
	__asm__ volatile(".rept 256\n\tldr %0, [%0]\n\t.endr" : "+r"(pointer) : : "memory");
	return pointer;
}

/* Follows pointers until it is back at `start`: three instructions each, and one before. */
OPS_INLINE reg_t chase_round(reg_t start)
{
	reg_t at;

	__asm__ volatile("mov %0, %1\n1:\tldr %0, [%0]\n\tcmp %0, %1\n\tbne 1b"
			 : "=&r"(at)
			 : "r"(start)
			 : "memory", "cc");
	return start;
}

/* GICv3: ICC_SGI1R_EL1. */
OPS_INLINE void sgi1r_write(uint64_t value)
{
	__asm__ volatile("msr s3_0_c12_c11_5, %0" : : "r"(value) : "memory");
}

/* Jumps there, as a call would. */
OPS_INLINE void call_address(reg_t address)
{
	((void (*)(void))address)();
}
