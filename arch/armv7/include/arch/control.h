/* SPDX-License-Identifier: Apache-2.0 */
/* Values of control registers (DDI 0406C B4.1); arch/armv8 has the same names. */
#pragma once

#define SCTLR_V (1 << 13)  /* vectors at 0xffff0000, not at VBAR */
#define SCTLR_EE (1 << 25) /* exceptions are taken big-endian */
#define SCTLR_TE (1 << 30) /* exceptions are taken in Thumb state */

/* Reset values on Cortex-A15 (DDI 0438 4.3.27): M, C, I, V, EE, TE and WXN are 0. HSCTLR, EL2's
 * register, also has CP15BEN. */
#define SCTLR_EL1_OFF 0x00c50078
#define HSCTLR_OFF 0x30c50878
#define SCTLR_EL2_OFF HSCTLR_OFF
#define SCTLR_SA 0 /* only ARMv8 has this bit */

/* HCPTR: bits of absent coprocessors are RAO; trace registers trap (TTA); TCP10, TCP11 0 */
#define CPTR_NO_TRAPS (0x33ffu | 1u << 20)
#define CPTR_FP (3u << 10 | 1u << 15) /* TCP10, TCP11, TASE */

#define TCR_SIZES 0 /* HTCR and VTCR: T0SZ of 4 GiB */
#define TTBCR_EAE (1u << 31)

#define HCR_RW 0 /* only ARMv8 has this bit */

#define PMU_BITS 32                                   /* width of PMCCNTR */
#define PMU_VERSION (read_id_dfr0_el1() >> 24 & 0xfu) /* ID_DFR0.PerfMon */
#define PMCR_LC 0                                     /* only ARMv8 has this bit */
