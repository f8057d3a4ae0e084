/* SPDX-License-Identifier: Apache-2.0 */
/* System registers: the list of arch/sysreg.inc, whose names the assembler accepts, and registers
 * that only ARMv8 has. */
#pragma once

#include "arch/accessor.h"
#include "arch/el1_regs.h"
#include "arch/newer_regs.h"

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
SYSREG_READ(id_aa64pfr1_el1)
SYSREG_READ(id_aa64dfr0_el1)
SYSREG_READ(id_aa64mmfr0_el1)
SYSREG_READ(id_aa64mmfr1_el1)

/* Hypervisor control */
SYSREG(elr_el2)
SYSREG(spsr_el2)
#define X(name, value, kind, ...) kind(name)
NEWER_REGS(X)
#undef X

/* A guest's registers on cores newer than Armv8.0 */
SYSREG(s3_0_c12_c1_1) /* DISR_EL1 */
SYSREG(s3_4_c12_c1_1) /* VDISR_EL2 */
SYSREG(s3_3_c13_c0_5) /* TPIDR2_EL0 */

/* EL3, if the image starts there */
SYSREG_WRITE(scr_el3)
SYSREG_WRITE(cptr_el3)
SYSREG_WRITE(mdcr_el3)
SYSREG_WRITE(s3_6_c10_c5_0) /* MPAM3_EL3 */
SYSREG(s3_1_c15_c2_1)       /* CPUECTLR_EL1 of Cortex-A53, A57, A72, A73 */
