/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions that the guest and its benchmarks need by name; armv8 has the same functions. */
#pragma once

#include "arch/types.h"

#define OPS_INLINE static inline __attribute__((always_inline))

/* Takes interrupts from here on; a pending one before the next instruction. */
OPS_INLINE void irq_unmask(void)
{
	__asm__ volatile("cpsie i\n\tisb" : : : "memory");
}

OPS_INLINE void irq_mask(void)
{
	__asm__ volatile("cpsid i" : : : "memory");
}

/*
 * With interrupts masked: sleeps until one is pending, then lets it in. Masked, since an interrupt
 * that arrives between the caller's last look and an unmasked WFI would be slept through.
 */
OPS_INLINE void irq_sleep(void)
{
	__asm__ volatile("wfi\n\tcpsie i\n\tisb\n\tcpsid i" : : : "memory");
}

/* A copy that the compiler takes for new: it is in a register of its own from here on, so that
 * nothing has to be moved inside a window that uses it up. */
OPS_INLINE reg_t in_register(reg_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* The same by one instruction, wherever the original is: an operation that is repeated gets its
 * argument anew, and a repeated nothing takes as long. */
OPS_INLINE reg_t copied(reg_t value)
{
	reg_t copy;

	__asm__ volatile("mov %0, %1" : "=r"(copy) : "r"(value));
	return copy;
}

/* Event counters 0 to 3 into a static array. One block, all of it here: no instruction of it
 * depends on what stands around, and no register is needed across a window. */
OPS_INLINE void event_counters_read(uint32_t array[4])
{
	reg_t to, value;

#define COUNTER(n)                                                                                 \
	"mov %1, #" #n "\n\tmcr p15, 0, %1, c9, c12, 5\n\tisb\n\t"                                 \
	"mrc p15, 0, %1, c9, c13, 2\n\tstr %1, [%0, #4 * " #n "]\n\t"
	__asm__ volatile("movw %0, #:lower16:%c2\n\tmovt %0, #:upper16:%c2\n\t" COUNTER(0)
				 COUNTER(1) COUNTER(2) COUNTER(3)
			 : "=&r"(to), "=&r"(value)
			 : "i"(array)
			 : "memory");
#undef COUNTER
}

/* Executes `count` instructions more than with count 0; even, and in a register beforehand. */
OPS_INLINE void delay_or_none(reg_t count)
{
	__asm__ volatile("cmp %0, #0\n\tbeq 2f\n1: subs %0, %0, #2\n\tbne 1b\n2:"
			 : "+r"(count)
			 :
			 : "cc", "memory");
}

/*
 * Accesses to a device, and to ACTLR, that a benchmark times. The register is always the same one,
 * whatever stands around the access: EL2 needs longer for r4 and up, and longest from r8 on, where
 * it looks in the guest's mode. A store is of the address itself, which is in a register.
 */
OPS_INLINE reg_t actlr_read(reg_t state)
{
	register reg_t r1 __asm__("r1");

	__asm__ volatile("mrc p15, 0, %0, c1, c0, 1" : "=r"(r1) : : "memory");
	return state;
}

/* The same to the physical timer. CVAL: the word is both halves. */
OPS_INLINE reg_t cntp_ctl_read(reg_t state)
{
	register reg_t r1 __asm__("r1");

	__asm__ volatile("mrc p15, 0, %0, c14, c2, 1" : "=r"(r1) : : "memory");
	return state;
}

OPS_INLINE reg_t cntp_cval_write(reg_t value)
{
	register reg_t r1 __asm__("r1") = value;

	__asm__ volatile("mcrr p15, 2, %0, %0, c14" : : "r"(r1) : "memory");
	return value;
}

OPS_INLINE reg_t cntp_tval_write(reg_t value)
{
	register reg_t r1 __asm__("r1") = value;

	__asm__ volatile("mcr p15, 0, %0, c14, c2, 0" : : "r"(r1) : "memory");
	return value;
}

OPS_INLINE reg_t device_load32(reg_t address)
{
	register reg_t r1 __asm__("r1");

	__asm__ volatile("ldr %0, [%1]" : "=r"(r1) : "r"(address) : "memory");
	return address;
}

OPS_INLINE reg_t device_store8(reg_t address)
{
	register reg_t r4 __asm__("r4") = address;

	__asm__ volatile("strb %0, [%0]" : : "r"(r4) : "memory");
	return address;
}

OPS_INLINE reg_t device_store32(reg_t address)
{
	register reg_t r4 __asm__("r4") = address;

	__asm__ volatile("str %0, [%0]" : : "r"(r4) : "memory");
	return address;
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

/* GICv3: ICC_SGI1R. No Armv7 core has one; here so that isa-free code may name it. */
OPS_INLINE void sgi1r_write(uint64_t value)
{
	__asm__ volatile("mcrr p15, 0, %Q0, %R0, c12" : : "r"(value) : "memory");
}

/* Every VFP and Advanced SIMD register and their control and status, as bytes; the code around
 * leaves them alone, so nothing has to be saved. */
#define FP_WORDS 65u /* of 32 bits: d0-d31, FPSCR */
#define FP_CONTROL_INDEX 64u
#define FP_CONTROL_VALUE 0x08c00001u /* FPSCR.RMode: toward zero; QC, IOC */
#define FP_STATUS_VALUE 0u           /* in the same register */

OPS_INLINE void fp_fill(const uint32_t *words)
{
	const uint32_t *at = words;
	reg_t value;

	__asm__ volatile("vldmia %0!, {d0-d15}\n\tvldmia %0!, {d16-d31}\n\t"
			 "ldr %1, [%0]\n\tvmsr fpscr, %1"
			 : "+r"(at), "=&r"(value)
			 :
			 : "memory");
}

OPS_INLINE void fp_store(uint32_t *words)
{
	uint32_t *at = words;
	reg_t value;

	__asm__ volatile("vstmia %0!, {d0-d15}\n\tvstmia %0!, {d16-d31}\n\t"
			 "vmrs %1, fpscr\n\tstr %1, [%0]"
			 : "+r"(at), "=&r"(value)
			 :
			 : "memory");
}

/* The least that uses an FP register: one instruction. */
OPS_INLINE reg_t fp_use(void)
{
	reg_t value;

	__asm__ volatile("vmov %0, s0" : "=r"(value) : : "memory");
	return value;
}

/* Jumps there, as a call would. */
OPS_INLINE void call_address(reg_t address)
{
	((void (*)(void))address)();
}
