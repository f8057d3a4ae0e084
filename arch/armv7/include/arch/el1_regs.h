/* SPDX-License-Identifier: Apache-2.0 */
/* The PL1 state of a guest: registers of ARMv7 in addition to those of arch/el1_regs.inc. */
#pragma once

#include "arch/control.h"
#include "arch/el1_regs.inc"

#define EL1_ISA_REGS(X)                                                                            \
	X(dacr32_el2, 0, SYSREG32, 0, c3, c0, 0) /* DACR */                                        \
	X(mair1, 0, SYSREG32, 0, c10, c2, 1)     /* or NMRR; upper half of MAIR_EL1 */             \
	X(ifsr32_el2, 0, SYSREG32, 0, c5, c0, 1) /* IFSR */                                        \
	X(ifar, 0, SYSREG32, 0, c6, c0, 2)       /* upper half of FAR_EL1 */                       \
	X(sp_usr, 0, SYSREG_BANKED)                                                                \
	X(spsr_svc, 0, SYSREG_BANKED)                                                              \
	X(spsr_abt, 0, SYSREG_BANKED)                                                              \
	X(spsr_und, 0, SYSREG_BANKED)                                                              \
	X(spsr_irq, 0, SYSREG_BANKED)                                                              \
	X(spsr_fiq, 0, SYSREG_BANKED)                                                              \
	EL1_BANKED_REGS(X)

#define EL1_ISA_AUXILIARY_REGS(X) X(amair1, 0, SYSREG32, 0, c10, c3, 1)

/* General registers that one mode banks, with the mode and the number (DDI 0406C B1.3.2). The list
 * leaves out LR_usr, because HYP mode uses the same register. */
#define EL1_BANKED_REGS(X)                                                                         \
	X(sp_svc, 0, SYSREG_BANKED, PSR_MODE_SVC, 13)                                              \
	X(lr_svc, 0, SYSREG_BANKED, PSR_MODE_SVC, 14)                                              \
	X(sp_abt, 0, SYSREG_BANKED, PSR_MODE_ABT, 13)                                              \
	X(lr_abt, 0, SYSREG_BANKED, PSR_MODE_ABT, 14)                                              \
	X(sp_und, 0, SYSREG_BANKED, PSR_MODE_UND, 13)                                              \
	X(lr_und, 0, SYSREG_BANKED, PSR_MODE_UND, 14)                                              \
	X(sp_irq, 0, SYSREG_BANKED, PSR_MODE_IRQ, 13)                                              \
	X(lr_irq, 0, SYSREG_BANKED, PSR_MODE_IRQ, 14)                                              \
	X(r8_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 8)                                               \
	X(r9_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 9)                                               \
	X(r10_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 10)                                             \
	X(r11_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 11)                                             \
	X(r12_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 12)                                             \
	X(sp_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 13)                                              \
	X(lr_fiq, 0, SYSREG_BANKED, PSR_MODE_FIQ, 14)
