/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PL1 state of a guest, as a list: X(name, value at the start of a fresh guest). One text makes
 * the reset, the structure, the save and the restore. SCTLR: the reset value of Cortex-A15 (DDI
 * 0438 4.3.27), MMU and caches off. CNTKCTL: PL0 has no access. TTBCR comes before MAIR0: TTBCR.EAE
 * selects the register that MAIR0's encoding means. Registers of 64 bits lie in the reach of LDRD
 * and STRD from a vCPU.
 */
#pragma once

#define EL1_REGS(X)                                                                                \
	X(sctlr_el1, 0x00c50078)                                                                   \
	X(cpacr_el1, 0)                                                                            \
	X(tcr_el1, 0)                                                                              \
	X(ttbr0_el1, 0)                                                                            \
	X(ttbr1_el1, 0)                                                                            \
	X(dacr32_el2, 0)                                                                           \
	X(mair_el1, 0)                                                                             \
	X(mair1, 0)                                                                                \
	X(amair_el1, 0)                                                                            \
	X(amair1, 0)                                                                               \
	X(contextidr_el1, 0)                                                                       \
	X(vbar_el1, 0)                                                                             \
	X(esr_el1, 0)                                                                              \
	X(ifsr32_el2, 0)                                                                           \
	X(far_el1, 0)                                                                              \
	X(ifar, 0)                                                                                 \
	X(afsr0_el1, 0)                                                                            \
	X(afsr1_el1, 0)                                                                            \
	X(par_el1, 0)                                                                              \
	X(tpidr_el0, 0)                                                                            \
	X(tpidrro_el0, 0)                                                                          \
	X(tpidr_el1, 0)                                                                            \
	X(csselr_el1, 0)                                                                           \
	X(cntkctl_el1, 0)                                                                          \
	X(cntv_ctl_el0, 0)                                                                         \
	X(cntv_cval_el0, 0)                                                                        \
	X(cntp_ctl_el0, 0)                                                                         \
	X(cntp_cval_el0, 0)                                                                        \
	EL1_BANKED_REGS(X)

/* Registers of one mode each. LR_usr is absent: HYP mode's LR is the same register. */
#define EL1_BANKED_REGS(X)                                                                         \
	X(sp_usr, 0)                                                                               \
	X(sp_svc, 0)                                                                               \
	X(lr_svc, 0)                                                                               \
	X(spsr_svc, 0)                                                                             \
	X(sp_abt, 0)                                                                               \
	X(lr_abt, 0)                                                                               \
	X(spsr_abt, 0)                                                                             \
	X(sp_und, 0)                                                                               \
	X(lr_und, 0)                                                                               \
	X(spsr_und, 0)                                                                             \
	X(sp_irq, 0)                                                                               \
	X(lr_irq, 0)                                                                               \
	X(spsr_irq, 0)                                                                             \
	X(r8_fiq, 0)                                                                               \
	X(r9_fiq, 0)                                                                               \
	X(r10_fiq, 0)                                                                              \
	X(r11_fiq, 0)                                                                              \
	X(r12_fiq, 0)                                                                              \
	X(sp_fiq, 0)                                                                               \
	X(lr_fiq, 0)                                                                               \
	X(spsr_fiq, 0)
