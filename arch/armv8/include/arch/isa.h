/* SPDX-License-Identifier: Apache-2.0 */
/* The AArch64 text of instructions that arch/common names; armv7 has the same names. */
#pragma once

#define ZERO_OPERAND "rZ" /* XZR is the 0: no instruction loads it */

#define DC_CIVAC "dc civac, %0"
#define DC_CISW "dc cisw, %0"
#define IC_IALLUIS "ic ialluis"
#define IC_IALLU "ic iallu"

#define HVC_CALL "hvc #0"
#define SMC_CALL "smc #0"
#define SEMIHOSTING_CALL "hlt #0xf000"

/* 0xff000110 with the function in bits 23:16 */
#define GEM5_WORK_BEGIN "0xff5a0110"
#define GEM5_WORK_END "0xff5b0110"
