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

#define COUNTER(n) "mrs %1, pmevcntr" #n "_el0\n\tstr %w1, [%0, #4 * " #n "]\n\t"
	__asm__ volatile("adrp %0, %2\n\tadd %0, %0, :lo12:%2\n\t" COUNTER(0) COUNTER(1) COUNTER(2)
				 COUNTER(3)
			 : "=&r"(to), "=&r"(value)
			 : "S"(array)
			 : "memory");
#undef COUNTER
}

/* Executes `count` instructions more than with count 0; even, and in a register beforehand. */
OPS_INLINE void delay_or_none(reg_t count)
{
	__asm__ volatile("cbz %0, 2f\n1: subs %0, %0, #2\n\tb.ne 1b\n2:"
			 : "+r"(count)
			 :
			 : "cc", "memory");
}

/* Accesses to a device, and to ACTLR, that a benchmark times: any register does, EL2 has all in its
 * frame. A store is of the address itself, which is in a register. */
OPS_INLINE reg_t actlr_read(reg_t state)
{
	reg_t value;

	__asm__ volatile("mrs %0, actlr_el1" : "=r"(value) : : "memory");
	return state;
}

/* The same to the physical timer. */
OPS_INLINE reg_t cntp_ctl_read(reg_t state)
{
	reg_t value;

	__asm__ volatile("mrs %0, cntp_ctl_el0" : "=r"(value) : : "memory");
	return state;
}

OPS_INLINE reg_t cntp_cval_write(reg_t value)
{
	__asm__ volatile("msr cntp_cval_el0, %0" : : "r"(value) : "memory");
	return value;
}

OPS_INLINE reg_t cntp_tval_write(reg_t value)
{
	__asm__ volatile("msr cntp_tval_el0, %0" : : "r"(value) : "memory");
	return value;
}

OPS_INLINE reg_t device_load32(reg_t address)
{
	reg_t value;

	__asm__ volatile("ldr %w0, [%1]" : "=r"(value) : "r"(address) : "memory");
	return address;
}

OPS_INLINE reg_t device_store8(reg_t address)
{
	__asm__ volatile("strb %w0, [%0]" : : "r"(address) : "memory");
	return address;
}

OPS_INLINE reg_t device_store32(reg_t address)
{
	__asm__ volatile("str %w0, [%0]" : : "r"(address) : "memory");
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

/* GICv3: ICC_SGI1R_EL1. */
OPS_INLINE void sgi1r_write(uint64_t value)
{
	__asm__ volatile("msr s3_0_c12_c11_5, %0" : : "r"(value) : "memory");
}

/* Every FP and SIMD register and their control and status, as bytes; the code around leaves them
 * alone, so nothing has to be saved. */
#define FP_WORDS 130u /* of 32 bits: v0-v31, FPCR, FPSR */
#define FP_CONTROL_INDEX 128u
#define FP_CONTROL_VALUE 0x00c00000u /* FPCR.RMode: toward zero */
#define FP_STATUS_VALUE 0x08000001u  /* FPSR.QC, IOC */

OPS_INLINE void fp_fill(const uint32_t *words)
{
	const uint32_t *at = words;
	reg_t value;

	__asm__ volatile("ld1 {v0.2d-v3.2d}, [%0], #64\n\tld1 {v4.2d-v7.2d}, [%0], #64\n\t"
			 "ld1 {v8.2d-v11.2d}, [%0], #64\n\tld1 {v12.2d-v15.2d}, [%0], #64\n\t"
			 "ld1 {v16.2d-v19.2d}, [%0], #64\n\tld1 {v20.2d-v23.2d}, [%0], #64\n\t"
			 "ld1 {v24.2d-v27.2d}, [%0], #64\n\tld1 {v28.2d-v31.2d}, [%0], #64\n\t"
			 "ldr %w1, [%0]\n\tmsr fpcr, %1\n\tldr %w1, [%0, #4]\n\tmsr fpsr, %1"
			 : "+r"(at), "=&r"(value)
			 :
			 : "memory");
}

OPS_INLINE void fp_store(uint32_t *words)
{
	uint32_t *at = words;
	reg_t value;

	__asm__ volatile("st1 {v0.2d-v3.2d}, [%0], #64\n\tst1 {v4.2d-v7.2d}, [%0], #64\n\t"
			 "st1 {v8.2d-v11.2d}, [%0], #64\n\tst1 {v12.2d-v15.2d}, [%0], #64\n\t"
			 "st1 {v16.2d-v19.2d}, [%0], #64\n\tst1 {v20.2d-v23.2d}, [%0], #64\n\t"
			 "st1 {v24.2d-v27.2d}, [%0], #64\n\tst1 {v28.2d-v31.2d}, [%0], #64\n\t"
			 "mrs %1, fpcr\n\tstr %w1, [%0]\n\tmrs %1, fpsr\n\tstr %w1, [%0, #4]"
			 : "+r"(at), "=&r"(value)
			 :
			 : "memory");
}

/* The least that uses an FP register: one instruction. */
OPS_INLINE reg_t fp_use(void)
{
	reg_t value;

	__asm__ volatile("fmov %0, d0" : "=r"(value) : : "memory");
	return value;
}

/* Jumps there, as a call would. */
OPS_INLINE void call_address(reg_t address)
{
	((void (*)(void))address)();
}
