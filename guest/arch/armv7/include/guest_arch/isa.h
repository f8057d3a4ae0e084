/* SPDX-License-Identifier: Apache-2.0 */
/* The AArch32 spelling of the instructions of guest/arch/common; armv8 has the same names. */
#pragma once

#define WORD "%" /* operand modifier for 32 bits */

#define IRQ_UNMASK "cpsie i"
#define IRQ_MASK "cpsid i"
#define SKIP_IF_ZERO "cmp %0, #0\n\tbeq 2f\n"

/* The register is fixed, because EL2's path depends on it: the path is longer for r4 and up, and
 * longest from r8 on, where EL2 needs the guest's mode. */
#define TIMED_LOAD_REGISTER(name) register reg_t name __asm__("r1")
#define TIMED_STORE_REGISTER(name) register reg_t name __asm__("r4")
#define ACTLR_READ "mrc p15, 0, %0, c1, c0, 1"
#define CNTP_CTL_READ "mrc p15, 0, %0, c14, c2, 1"
#define CNTP_CVAL_WRITE "mcrr p15, 2, %0, %0, c14" /* the operand is written to both halves */
#define CNTP_TVAL_WRITE "mcr p15, 0, %0, c14, c2, 0"
#define SGI1R_WRITE "mcrr p15, 0, %Q0, %R0, c12"

#define STATIC_ADDRESS(array) "i"(array)
#define EVENT_COUNTER(n)                                                                           \
	"mov %1, #" #n "\n\tmcr p15, 0, %1, c9, c12, 5\n\tisb\n\t"                                 \
	"mrc p15, 0, %1, c9, c13, 2\n\tstr %1, [%0, #4 * " #n "]\n\t"
#define EVENT_COUNTERS_READ                                                                        \
	"movw %0, #:lower16:%c2\n\tmovt %0, #:upper16:%c2\n\t" EVENT_COUNTER(0) EVENT_COUNTER(1)   \
		EVENT_COUNTER(2) EVENT_COUNTER(3)

/* guest_arch/stamp.h: five instructions with the isb */
#define IRQ_STAMP_STORE                                                                            \
	"mrrc p15, 0, %Q0, %R0, c14\n\tmovw %1, #:lower16:irq_stamps\n\t"                          \
	"movt %1, #:upper16:irq_stamps\n\tstrd %Q0, %R0, [%1, %2]"

/* guest_arch/tlb_ops.h. DDI 0406C B4.2.2: the page in bits 31:12, the ASID in bits 7:0. */
#define TLBI_ARGUMENT_VA(va, asid) (((va) & ~(va_t)0xfff) | (asid))
#define TLBI_ARGUMENT_ASID(asid) (asid)
#define TLBI_VA "mcr p15, 0, %0, c8, c7, 1"      /* TLBIMVA */
#define TLBI_ASID "mcr p15, 0, %0, c8, c7, 2"    /* TLBIASID */
#define TLBI_ALL_EL1 "mcr p15, 0, %0, c8, c7, 0" /* TLBIALL */

/* Every VFP and Advanced SIMD register, with their control and status. */
#define FP_WORDS 65u /* 32-bit words: d0-d31, FPSCR */
#define FP_CONTROL_INDEX 64u
#define FP_CONTROL_VALUE 0x08c00001u /* FPSCR.RMode: toward zero; QC, IOC */
#define FP_STATUS_VALUE 0u           /* FPSCR has the status too */
#define FP_FILL "vldmia %0!, {d0-d15}\n\tvldmia %0!, {d16-d31}\n\tldr %1, [%0]\n\tvmsr fpscr, %1"
#define FP_STORE "vstmia %0!, {d0-d15}\n\tvstmia %0!, {d16-d31}\n\tvmrs %1, fpscr\n\tstr %1, [%0]"
#define FP_USE "vmov %0, s0"

/* guest_arch/work.h */
#define WORK_MULTIPLY_ADD "mla"
#define WORK_FACTOR 1664525u
#define WORK_TERM 1013904223u
#define WORK_FP(op, to, a, b) "v" op ".f64 %P" #to ", %P" #a ", %P" #b "\n\t"
