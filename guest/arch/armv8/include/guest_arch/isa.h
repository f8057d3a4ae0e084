/* SPDX-License-Identifier: Apache-2.0 */
/* The AArch64 spelling of the instructions of guest/arch/common; armv7 has the same names. */
#pragma once

#define WORD "%w" /* operand modifier for 32 bits */

#define IRQ_UNMASK "msr daifclr, #2"
#define IRQ_MASK "msr daifset, #2"
#define SKIP_IF_ZERO "cbz %0, 2f\n"

/* Any register serves, because EL2's frame holds all of them. */
#define TIMED_LOAD_REGISTER(name) reg_t name
#define TIMED_STORE_REGISTER(name) reg_t name
#define ACTLR_READ "mrs %0, actlr_el1"
#define CNTP_CTL_READ "mrs %0, cntp_ctl_el0"
#define CNTP_CVAL_WRITE "msr cntp_cval_el0, %0"
#define CNTP_TVAL_WRITE "msr cntp_tval_el0, %0"
#define SGI1R_WRITE "msr s3_0_c12_c11_5, %0"

#define STATIC_ADDRESS(array) "S"(array)
#define EVENT_COUNTER(n) "mrs %1, pmevcntr" #n "_el0\n\tstr %w1, [%0, #4 * " #n "]\n\t"
#define EVENT_COUNTERS_READ                                                                        \
	"adrp %0, %2\n\tadd %0, %0, :lo12:%2\n\t" EVENT_COUNTER(0) EVENT_COUNTER(1)                \
		EVENT_COUNTER(2) EVENT_COUNTER(3)

/* guest_arch/stamp.h: four instructions with the isb */
#define IRQ_STAMP_STORE                                                                            \
	"mrs %0, cntpct_el0\n\tadrp %1, irq_stamps\n\tstr %0, [%1, :lo12:irq_stamps + %2]"

/* guest_arch/tlb_ops.h. DDI 0487 C5.5: the page number in bits 43:0, the ASID in bits 63:48. */
#define TLBI_ARGUMENT_VA(va, asid) ((va) >> 12 | (reg_t)(asid) << 48)
#define TLBI_ARGUMENT_ASID(asid) ((reg_t)(asid) << 48)
#define TLBI_VA "tlbi vae1, %0"
#define TLBI_ASID "tlbi aside1, %0"
#define TLBI_ALL_EL1 "tlbi vmalle1"

/* Every FP and SIMD register, with their control and status. */
#define FP_WORDS 130u /* 32-bit words: v0-v31, FPCR, FPSR */
#define FP_CONTROL_INDEX 128u
#define FP_CONTROL_VALUE 0x00c00000u /* FPCR.RMode: toward zero */
#define FP_STATUS_VALUE 0x08000001u  /* FPSR.QC, IOC */
#define FP_ALL(op)                                                                                 \
	op " {v0.2d-v3.2d}, [%0], #64\n\t" op " {v4.2d-v7.2d}, [%0], #64\n\t" op                   \
	   " {v8.2d-v11.2d}, [%0], #64\n\t" op " {v12.2d-v15.2d}, [%0], #64\n\t" op                \
	   " {v16.2d-v19.2d}, [%0], #64\n\t" op " {v20.2d-v23.2d}, [%0], #64\n\t" op               \
	   " {v24.2d-v27.2d}, [%0], #64\n\t" op " {v28.2d-v31.2d}, [%0], #64\n\t"
#define FP_FILL FP_ALL("ld1") "ldr %w1, [%0]\n\tmsr fpcr, %1\n\tldr %w1, [%0, #4]\n\tmsr fpsr, %1"
#define FP_STORE FP_ALL("st1") "mrs %1, fpcr\n\tstr %w1, [%0]\n\tmrs %1, fpsr\n\tstr %w1, [%0, #4]"
#define FP_USE "fmov %0, d0"

/* guest_arch/work.h */
#define WORK_MULTIPLY_ADD "madd"
#define WORK_FACTOR 6364136223846793005u
#define WORK_TERM 1442695040888963407u
#define WORK_FP(op, to, a, b) "f" op " %d" #to ", %d" #a ", %d" #b "\n\t"
