/* SPDX-License-Identifier: Apache-2.0 */
/* System registers: the list of arch/sysreg.inc by coprocessor encodings, and registers that only
 * Armv7 has, with their ARMv8 name if they have one. */
#pragma once

#include "arch/accessor.h"
#include "arch/el1_regs.h"

/* MRC, MCR p15, op1, Rt, CRn, CRm, op2 */
#define SYSREG32_OPERANDS(op1, CRn, CRm, op2) " p15, " #op1 ", %0, " #CRn ", " #CRm ", " #op2
#define SYSREG32_READ(name, ...) ACCESSOR_READ(name, reg_t, "mrc" SYSREG32_OPERANDS(__VA_ARGS__))
#define SYSREG32_WRITE(name, ...) ACCESSOR_WRITE(name, reg_t, "mcr" SYSREG32_OPERANDS(__VA_ARGS__))
#define SYSREG32(name, ...) SYSREG32_READ(name, __VA_ARGS__) SYSREG32_WRITE(name, __VA_ARGS__)

/* MRRC, MCRR p15, op1, Rt, Rt2, CRm */
#define SYSREG64_OPERANDS(op1, CRm) " p15, " #op1 ", %Q0, %R0, " #CRm
#define SYSREG64_READ(name, ...)                                                                   \
	ACCESSOR_READ(name, uint64_t, "mrrc" SYSREG64_OPERANDS(__VA_ARGS__))
#define SYSREG64_WRITE(name, ...)                                                                  \
	ACCESSOR_WRITE(name, uint64_t, "mcrr" SYSREG64_OPERANDS(__VA_ARGS__))
#define SYSREG64(name, ...) SYSREG64_READ(name, __VA_ARGS__) SYSREG64_WRITE(name, __VA_ARGS__)

/* MRS, MSR of a status register of this mode, or of a register of another mode (B9.3.9: HYP mode
 * can access the registers of every mode below) */
#define SYSREG_STATUS_READ(name, reg)                                                              \
	ACCESSOR_READ(name, reg_t, ".arch_extension virt\n\tmrs %0, " #reg)
#define SYSREG_STATUS_WRITE(name, reg)                                                             \
	ACCESSOR_WRITE(name, reg_t, ".arch_extension virt\n\tmsr " #reg ", %0")
#define SYSREG_BANKED(name, ...) SYSREG_STATUS_READ(name, name) SYSREG_STATUS_WRITE(name, name)

#include "arch/sysreg.inc"

/* Identification and level */
SYSREG32_READ(id_pfr1_el1, 0, c0, c1, 1)
SYSREG32_READ(id_dfr0_el1, 0, c0, c1, 2)
SYSREG32_READ(id_mmfr0_el1, 0, c0, c1, 4)
SYSREG_STATUS_READ(cpsr, cpsr)

/* Debug: the one CP14 register that C reads */
ACCESSOR_READ(dbgdidr, reg_t, "mrc p14, 0, %0, c0, c0, 0")

/* Secure state */
SYSREG32(nsacr, 0, c1, c1, 2)

/* Exceptions taken to HYP mode */
SYSREG32_READ(hifar, 4, c6, c0, 2) /* the upper half of FAR_EL2 */
SYSREG_STATUS_READ(elr_el2, elr_hyp)
SYSREG_STATUS_WRITE(elr_el2, elr_hyp)
SYSREG_STATUS_READ(spsr_el2, spsr)
SYSREG_STATUS_WRITE(spsr_el2, spsr_cxsf)
