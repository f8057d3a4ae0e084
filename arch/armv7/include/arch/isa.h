/* SPDX-License-Identifier: Apache-2.0 */
/* The AArch32 text of instructions that arch/common names; armv8 has the same names. */
#pragma once

#define ZERO_OPERAND "r"

#define DC_CIVAC "mcr p15, 0, %0, c7, c14, 1" /* DCCIMVAC */
#define DC_CISW "mcr p15, 0, %0, c7, c14, 2"  /* DCCISW */
/*
 * ICIALLUIS and BPIALLIS, ICIALLU and BPIALL: the instruction cache operation need not affect a
 * branch predictor
 */
#define IC_IALLUIS "mcr p15, 0, %0, c7, c1, 0\n\tmcr p15, 0, %0, c7, c1, 6"
#define IC_IALLU "mcr p15, 0, %0, c7, c5, 0\n\tmcr p15, 0, %0, c7, c5, 6"

#define HVC_CALL ".arch_extension virt\n\thvc #0"
#define SMC_CALL ".arch_extension sec\n\tsmc #0"
/* HLT #0xf000, which Armv7 assemblers do not support */
#define SEMIHOSTING_CALL ".inst 0xe10f0070"

/* 0xee000110 with the function in bits 23:16 */
#define GEM5_WORK_BEGIN "0xee5a0110"
#define GEM5_WORK_END "0xee5b0110"
