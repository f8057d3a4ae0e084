/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions that the guest and its benchmarks need by name. isa.h spells the instructions
 * that differ between the isas. */
#pragma once

#include "arch/types.h"
#include "guest_arch/isa.h"

#define OPS_INLINE static inline __attribute__((always_inline))

/* Unmask interrupts. A pending interrupt comes before the next instruction. */
OPS_INLINE void irq_unmask(void)
{
	__asm__ volatile(IRQ_UNMASK "\n\tisb" : : : "memory");
}

OPS_INLINE void irq_mask(void)
{
	__asm__ volatile(IRQ_MASK : : : "memory");
}

/*
 * Sleep until an interrupt is pending, then let it come. Call this with interrupts masked: with
 * unmasked interrupts the core would sleep through an interrupt that arrives between the caller's
 * last check and the WFI.
 */
OPS_INLINE void irq_sleep(void)
{
	__asm__ volatile("wfi\n\t" IRQ_UNMASK "\n\tisb\n\t" IRQ_MASK : : : "memory");
}

/* Return a copy that the compiler takes for a new value. The copy has a register of its own from
 * here on, so the compiler moves nothing inside a window that changes the copy. */
OPS_INLINE reg_t in_register(reg_t value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* Return a copy, like in_register(), by exactly one instruction: a repeated operation gets its
 * argument anew, and a repeated empty operation takes equally long. */
OPS_INLINE reg_t copied(reg_t value)
{
	reg_t copy;

	__asm__ volatile("mov %0, %1" : "=r"(copy) : "r"(value));
	return copy;
}

/* Read event counters 0 to 3 into a static array. The reads are one asm block: no instruction of
 * the block depends on the surrounding code, and no register must survive a window. */
OPS_INLINE void event_counters_read(uint32_t array[4])
{
	reg_t to, value;

	__asm__ volatile(EVENT_COUNTERS_READ
			 : "=&r"(to), "=&r"(value)
			 : STATIC_ADDRESS(array)
			 : "memory");
}

/*
 * Execute `count` instructions more than with count 0. `count` is even, and in a register
 * beforehand.
 */
OPS_INLINE void delay_or_none(reg_t count)
{
	__asm__ volatile(SKIP_IF_ZERO "1: subs %0, %0, #2\n\tbne 1b\n2:"
			 : "+r"(count)
			 :
			 : "cc", "memory");
}

/* Accesses that a benchmark times: to ACTLR, to the physical timer, to a device. isa.h chooses the
 * register. A store writes the address itself, which is in a register. */
#define TIMED_READ(name, instruction, ...)                                                         \
	OPS_INLINE reg_t name(reg_t argument)                                                      \
	{                                                                                          \
		TIMED_LOAD_REGISTER(value);                                                        \
                                                                                                   \
		__asm__ volatile(instruction : "=r"(value) : __VA_ARGS__ : "memory");              \
		return argument;                                                                   \
	}

#define TIMED_WRITE(name, reg, instruction)                                                        \
	OPS_INLINE reg_t name(reg_t argument)                                                      \
	{                                                                                          \
		reg(value) = argument;                                                             \
                                                                                                   \
		__asm__ volatile(instruction : : "r"(value) : "memory");                           \
		return argument;                                                                   \
	}

TIMED_READ(actlr_read, ACTLR_READ, )
TIMED_READ(cntp_ctl_read, CNTP_CTL_READ, )
TIMED_WRITE(cntp_cval_write, TIMED_LOAD_REGISTER, CNTP_CVAL_WRITE)
TIMED_WRITE(cntp_tval_write, TIMED_LOAD_REGISTER, CNTP_TVAL_WRITE)
TIMED_READ(device_load32, "ldr " WORD "0, [%1]", "r"(argument))
TIMED_WRITE(device_store8, TIMED_STORE_REGISTER, "strb " WORD "0, [%0]")
TIMED_WRITE(device_store32, TIMED_STORE_REGISTER, "str " WORD "0, [%0]")

OPS_INLINE void nop_10(void)
{
	__asm__ volatile(".rept 10\n\tnop\n\t.endr" : : : "memory");
}

/* Follow 256 pointers by 256 instructions; each load waits for the load before. */
OPS_INLINE reg_t chase_256(reg_t pointer)
{
	__asm__ volatile(".rept 256\n\tldr %0, [%0]\n\t.endr" : "+r"(pointer) : : "memory");
	return pointer;
}

/* Follow pointers back to `start`: three instructions a pointer, and one before. */
OPS_INLINE reg_t chase_round(reg_t start)
{
	reg_t at;

	__asm__ volatile("mov %0, %1\n1:\tldr %0, [%0]\n\tcmp %0, %1\n\tbne 1b"
			 : "=&r"(at)
			 : "r"(start)
			 : "memory", "cc");
	return start;
}

/*
 * Write ICC_SGI1R_EL1 of a GICv3. No Armv7 core has a GICv3; isa-free code may still name the
 * register.
 */
OPS_INLINE void sgi1r_write(uint64_t value)
{
	__asm__ volatile(SGI1R_WRITE : : "r"(value) : "memory");
}

/* Fill and compare every FP and SIMD register with their control and status (FP_WORDS, isa.h). The
 * surrounding code uses no FP register, so nothing has to be saved. */
OPS_INLINE void fp_fill(const uint32_t *words)
{
	const uint32_t *at = words;
	reg_t value;

	__asm__ volatile(FP_FILL : "+r"(at), "=&r"(value) : : "memory");
}

OPS_INLINE void fp_store(uint32_t *words)
{
	uint32_t *at = words;
	reg_t value;

	__asm__ volatile(FP_STORE : "+r"(at), "=&r"(value) : : "memory");
}

/* Use an FP register by one instruction. */
OPS_INLINE reg_t fp_use(void)
{
	reg_t value;

	__asm__ volatile(FP_USE : "=r"(value) : : "memory");
	return value;
}

/* Jump to the address, as a call does. */
OPS_INLINE void call_address(reg_t address)
{
	((void (*)(void))address)();
}
