/* SPDX-License-Identifier: Apache-2.0 */
/* Code of an unmodified guest that takes an exception at once, and the state of that exception. */
#pragma once

#include <stdint.h>

/* The state of the last exception, which the vectors below store. */
struct taken {
	uintptr_t syndrome, far, pc, psr, vector, state;
};

static struct taken taken __attribute__((used));
extern const char vectors[] __attribute__((visibility("hidden"))); /* needs no address table */

#ifdef __aarch64__
#define EL0 0x400 /* offsets of vectors: from EL0; from EL1 with SP_EL1 */
#define EL1H 0x200
#define STATE(daif) ((daif) | 1) /* SP_EL1 */

__asm__(".pushsection .text.vectors, \"ax\"\n"
	".balign 0x800\n"
	".global vectors\n"
	"vectors:\n"
	".set offset, 0\n"
	".rept 16\n"
	"mov x9, #offset\n"
	"b exception\n"
	".balign 0x80\n"
	".set offset, offset + 0x80\n"
	".endr\n"
	"exception:\n"
	"mrs x3, esr_el1\n"
	"mrs x4, far_el1\n"
	"mrs x5, elr_el1\n"
	"mrs x6, spsr_el1\n"
	"mrs x10, daif\n"
	"mrs x11, spsel\n"
	"orr x10, x10, x11\n"
	"adr x11, taken\n"
	"stp x3, x4, [x11]\n"
	"stp x5, x6, [x11, #16]\n"
	"stp x9, x10, [x11, #32]\n"
	"br x12\n"
	".popsection\n");

/* Run the code at `pc` with `x0` in that register. The code must not change x12. */
static void run_at(uintptr_t pc, uintptr_t psr, uintptr_t x0)
{
	register uintptr_t first __asm__("x0") = x0;

	__asm__ volatile("msr vbar_el1, %1\n\t"
			 "msr elr_el1, %2\n\t"
			 "msr spsr_el1, %3\n\t"
			 "adr x12, 1f\n\t"
			 "eret\n"
			 "1:\tmsr daifclr, #0xf"
			 : "+r"(first)
			 : "r"(vectors), "r"(pc), "r"(psr)
			 : "x3", "x4", "x5", "x6", "x9", "x10", "x11", "x12", "cc", "memory");
}
#else
#define UNDEFINED 0x04
#define PREFETCH_ABORT 0x0c
#define DATA_ABORT 0x10

__asm__(".pushsection .text.vectors, \"ax\"\n"
	".arm\n"
	".balign 32\n"
	".global vectors\n"
	"vectors:\n"
	"b .\n"
	"b undefined\n"
	"b .\n"
	"b prefetch_abort\n"
	"b data_abort\n"
	"b .\n"
	"b .\n"
	"b .\n"
	"undefined:\n"
	"mov r9, #0x04\n"
	"b exception\n"
	"data_abort:\n"
	"mov r9, #0x10\n"
	"b exception\n"
	"prefetch_abort:\n"
	"mov r9, #0x0c\n"
	"exception:\n"
	"mrs r10, cpsr\n"
	"setend le\n"
	"cmp r9, #0x0c\n"
	"mrcne p15, 0, r3, c5, c0, 0\n" /* DFSR, DFAR */
	"mrcne p15, 0, r4, c6, c0, 0\n"
	"mrceq p15, 0, r3, c5, c0, 1\n" /* IFSR, IFAR */
	"mrceq p15, 0, r4, c6, c0, 2\n"
	"mov r5, lr\n"
	"mrs r6, spsr\n"
	"ldr r8, =taken\n"
	"stm r8, {r3, r4, r5, r6, r9, r10}\n"
	"cps #0x13\n"
	"bx r12\n"
	".ltorg\n"
	".popsection\n");

/* Run the code at `pc` with `r0` in that register. The code must not change r12. */
static void run_at(uintptr_t pc, uintptr_t psr, uintptr_t r0)
{
	register uintptr_t first __asm__("r0") = r0;
	register uintptr_t to __asm__("r1") = pc;

	__asm__ volatile("mcr p15, 0, %2, c12, c0, 0\n\t"
			 "isb\n\t"
			 "msr spsr_fsxc, %3\n\t"
			 "adr r12, 1f\n\t"
			 "movs pc, r1\n"
			 "1:"
			 : "+r"(first), "+r"(to)
			 : "r"(vectors), "r"(psr)
			 : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "cc", "memory");
}
#endif

/* Define code that takes an exception. */
#define CODE(label, instructions)                                                                  \
	extern const char label[] __attribute__((visibility("hidden")));                           \
	__asm__(".pushsection .text.code, \"ax\"\n.balign 4\n" #label ":\n" instructions           \
		"\n.balign 4\n.popsection\n")
