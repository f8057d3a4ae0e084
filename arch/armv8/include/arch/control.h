/* SPDX-License-Identifier: Apache-2.0 */
/* Values of control registers (DDI 0487 D13.2); arch/armv7 has the same names. */
#pragma once

#define SCTLR_EL2_OFF 0x30c50830 /* also for EL3: the RES1 bits of Armv8.0; M, C, I, others 0 */
#define SCTLR_EL1_OFF 0x30d00800
#define SCTLR_SA (1 << 3) /* the stack pointer's alignment is checked */

/* CPTR_EL2: the RES1 bits, which trap SVE and SME; activity monitors and trace registers trap (TAM,
 * TTA); TFP and TCPAC 0 */
#define CPTR_NO_TRAPS (0x33ffu | 1u << 30 | 1u << 20)
#define CPTR_FP (1u << 10) /* TFP */

/* TCR_EL2 and VTCR_EL2: T0SZ of 4 GiB, 40-bit physical addresses */
#define TCR_SIZES (32u | 2u << 16)

#define HCR_RW 0x80000000 /* EL1 is AArch64 */

#define SPSR_EL1H_MASKED 0x3c5u

#define PMU_BITS 64                                      /* width of PMCCNTR_EL0 */
#define PMU_VERSION (read_id_aa64dfr0_el1() >> 8 & 0xfu) /* PMUVer */
#define PMCR_LC (1u << 6)                                /* overflow at 64 bits */
