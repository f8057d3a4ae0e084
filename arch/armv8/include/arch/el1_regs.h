/* SPDX-License-Identifier: Apache-2.0 */
/* The EL1 state of a guest: registers of ARMv8 in addition to those of arch/el1_regs.inc. */
#pragma once

#include "arch/control.h"
#include "arch/el1_regs.inc"

#define EL1_ISA_REGS(X)                                                                            \
	X(elr_el1, 0, SYSREG)                                                                      \
	X(spsr_el1, 0, SYSREG)                                                                     \
	X(sp_el1, 0, SYSREG)                                                                       \
	X(sp_el0, 0, SYSREG)

#define EL1_ISA_AUXILIARY_REGS(X)
