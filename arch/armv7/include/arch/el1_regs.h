/* SPDX-License-Identifier: Apache-2.0 */
/* The PL1 state of a guest: registers of ARMv7 besides those of arch/el1_regs.inc. */
#pragma once

#include "arch/control.h"
#include "arch/el1_regs.inc"

#define EL1_ISA_REGS(X)                                                                            \
	X(dacr32_el2, 0, SYSREG32, 0, c3, c0, 0) /* DACR */                                        \
	X(mair1, 0, SYSREG32, 0, c10, c2, 1)     /* or NMRR; the upper half of MAIR_EL1 */         \
	X(amair1, 0, SYSREG32, 0, c10, c3, 1)                                                      \
	X(ifsr32_el2, 0, SYSREG32, 0, c5, c0, 1) /* IFSR */                                        \
	X(ifar, 0, SYSREG32, 0, c6, c0, 2)       /* the upper half of FAR_EL1 */                   \
	/* Registers of one mode each. LR_usr is absent: HYP mode's LR is the same register. */    \
	X(sp_usr, 0, SYSREG_BANKED)                                                                \
	X(sp_svc, 0, SYSREG_BANKED)                                                                \
	X(lr_svc, 0, SYSREG_BANKED)                                                                \
	X(spsr_svc, 0, SYSREG_BANKED)                                                              \
	X(sp_abt, 0, SYSREG_BANKED)                                                                \
	X(lr_abt, 0, SYSREG_BANKED)                                                                \
	X(spsr_abt, 0, SYSREG_BANKED)                                                              \
	X(sp_und, 0, SYSREG_BANKED)                                                                \
	X(lr_und, 0, SYSREG_BANKED)                                                                \
	X(spsr_und, 0, SYSREG_BANKED)                                                              \
	X(sp_irq, 0, SYSREG_BANKED)                                                                \
	X(lr_irq, 0, SYSREG_BANKED)                                                                \
	X(spsr_irq, 0, SYSREG_BANKED)                                                              \
	X(r8_fiq, 0, SYSREG_BANKED)                                                                \
	X(r9_fiq, 0, SYSREG_BANKED)                                                                \
	X(r10_fiq, 0, SYSREG_BANKED)                                                               \
	X(r11_fiq, 0, SYSREG_BANKED)                                                               \
	X(r12_fiq, 0, SYSREG_BANKED)                                                               \
	X(sp_fiq, 0, SYSREG_BANKED)                                                                \
	X(lr_fiq, 0, SYSREG_BANKED)                                                                \
	X(spsr_fiq, 0, SYSREG_BANKED)
