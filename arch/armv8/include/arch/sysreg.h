/* SPDX-License-Identifier: Apache-2.0 */
/* System registers: arch/sysreg.inc, whose names the assembler knows, and those that only ARMv8
 * has. */
#pragma once

#include "arch/accessor.h"
#include "arch/el1_regs.h"

#define SYSREG_READ(name, ...) ACCESSOR_READ(name, reg_t, "mrs %0, " #name)
#define SYSREG_WRITE(name) ACCESSOR_WRITE(name, reg_t, "msr " #name ", %0")
#define SYSREG(name, ...)                                                                          \
	SYSREG_READ(name)                                                                          \
	SYSREG_WRITE(name)
#define SYSREG32 SYSREG
#define SYSREG32_READ SYSREG_READ
#define SYSREG64 SYSREG
#define SYSREG64_READ SYSREG_READ
#include "arch/sysreg.inc"

/* Identification and level */
SYSREG_READ(currentel)
SYSREG_READ(id_aa64pfr0_el1)
SYSREG_READ(id_aa64dfr0_el1)
SYSREG_READ(id_aa64mmfr0_el1)
SYSREG_READ(id_aa64mmfr1_el1)

/* Hypervisor control */
SYSREG(elr_el2)
SYSREG(spsr_el2)
SYSREG_WRITE(s3_4_c1_c2_2)  /* HCRX_EL2 */
SYSREG_WRITE(s3_4_c1_c1_4)  /* HFGRTR_EL2 */
SYSREG_WRITE(s3_4_c1_c1_5)  /* HFGWTR_EL2 */
SYSREG_WRITE(s3_4_c1_c1_6)  /* HFGITR_EL2 */
SYSREG_WRITE(s3_4_c3_c1_4)  /* HDFGRTR_EL2 */
SYSREG_WRITE(s3_4_c3_c1_5)  /* HDFGWTR_EL2 */
SYSREG_WRITE(s3_4_c3_c1_0)  /* HDFGRTR2_EL2 */
SYSREG_WRITE(s3_4_c3_c1_1)  /* HDFGWTR2_EL2 */
SYSREG_WRITE(s3_4_c3_c1_2)  /* HFGRTR2_EL2 */
SYSREG_WRITE(s3_4_c3_c1_3)  /* HFGWTR2_EL2 */
SYSREG_WRITE(s3_4_c3_c1_7)  /* HFGITR2_EL2 */
SYSREG_WRITE(s3_4_c10_c5_0) /* MPAM2_EL2 */

/* EL3, if the image starts there */
SYSREG_WRITE(scr_el3)
SYSREG_WRITE(cptr_el3)
SYSREG_WRITE(mdcr_el3)
SYSREG_WRITE(s3_6_c10_c5_0) /* MPAM3_EL3 */
SYSREG(s3_1_c15_c2_1)       /* CPUECTLR_EL1 of Cortex-A53, A57, A72, A73 */
