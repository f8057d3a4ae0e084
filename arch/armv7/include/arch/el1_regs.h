/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PL1 state of a guest, as a list: X(name, value at the start of a fresh guest, kind of
 * accessor and its operands as in arch/sysreg.h). One list makes the accessors, the reset, the
 * structure, the save and the restore. SCTLR: the reset value of Cortex-A15 (DDI 0438 4.3.27), MMU
 * and caches off. CNTKCTL: PL0 has no access. TTBCR comes before MAIR0: TTBCR.EAE selects the
 * register that MAIR0 means. Registers of 64 bits lie in the reach of LDRD and STRD from a vCPU.
 */
#pragma once

/* The timers come first: they go on while a core is off. */
#define EL1_REGS(X) EL1_TIMER_REGS(X) EL1_CORE_REGS(X)

#define EL1_TIMER_REGS(X)                                                                          \
	X(cntv_ctl_el0, 0, SYSREG32, 0, c14, c3, 1)                                                \
	X(cntv_cval_el0, 0, SYSREG64, 3, c14)                                                      \
	X(cntp_ctl_el0, 0, SYSREG32, 0, c14, c2, 1)                                                \
	X(cntp_cval_el0, 0, SYSREG64, 2, c14)

#define EL1_CORE_REGS(X)                                                                           \
	X(sctlr_el1, 0x00c50078, SYSREG32, 0, c1, c0, 0)                                           \
	X(cpacr_el1, 0, SYSREG32, 0, c1, c0, 2)                                                    \
	X(tcr_el1, 0, SYSREG32, 0, c2, c0, 2) /* TTBCR */                                          \
	X(ttbr0_el1, 0, SYSREG64, 0, c2)                                                           \
	X(ttbr1_el1, 0, SYSREG64, 1, c2)                                                           \
	X(dacr32_el2, 0, SYSREG32, 0, c3, c0, 0) /* DACR */                                        \
	X(mair_el1, 0, SYSREG32, 0, c10, c2, 0)  /* MAIR0, or PRRR: TTBCR.EAE selects */           \
	X(mair1, 0, SYSREG32, 0, c10, c2, 1)     /* MAIR1, or NMRR; the upper half of MAIR_EL1 */  \
	X(amair_el1, 0, SYSREG32, 0, c10, c3, 0) /* AMAIR0 */                                      \
	X(amair1, 0, SYSREG32, 0, c10, c3, 1)                                                      \
	X(contextidr_el1, 0, SYSREG32, 0, c13, c0, 1)                                              \
	X(vbar_el1, 0, SYSREG32, 0, c12, c0, 0)                                                    \
	X(esr_el1, 0, SYSREG32, 0, c5, c0, 0)    /* DFSR */                                        \
	X(ifsr32_el2, 0, SYSREG32, 0, c5, c0, 1) /* IFSR */                                        \
	X(far_el1, 0, SYSREG32, 0, c6, c0, 0)    /* DFAR */                                        \
	X(ifar, 0, SYSREG32, 0, c6, c0, 2)       /* the upper half of FAR_EL1 */                   \
	X(afsr0_el1, 0, SYSREG32, 0, c5, c1, 0)  /* ADFSR */                                       \
	X(afsr1_el1, 0, SYSREG32, 0, c5, c1, 1)  /* AIFSR */                                       \
	X(par_el1, 0, SYSREG64, 0, c7)                                                             \
	X(tpidr_el0, 0, SYSREG32, 0, c13, c0, 2)   /* TPIDRURW */                                  \
	X(tpidrro_el0, 0, SYSREG32, 0, c13, c0, 3) /* TPIDRURO */                                  \
	X(tpidr_el1, 0, SYSREG32, 0, c13, c0, 4)   /* TPIDRPRW */                                  \
	X(csselr_el1, 0, SYSREG32, 2, c0, c0, 0)                                                   \
	X(cntkctl_el1, 0, SYSREG32, 0, c14, c1, 0)                                                 \
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
