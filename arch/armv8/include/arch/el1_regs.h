/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The EL1 state of a guest, as a list: X(name, value at the start of a fresh guest). One text makes
 * the accessors, the reset, the structure, the save and the restore. SCTLR_EL1: the RES1 bits of
 * Armv8.0, MMU and caches off. CNTKCTL_EL1: EL0 has no access.
 */
#pragma once

/* The timers come first: they go on while a core is off. */
#define EL1_REGS(X) EL1_TIMER_REGS(X) EL1_CORE_REGS(X)

#define EL1_TIMER_REGS(X)                                                                          \
	X(cntv_ctl_el0, 0)                                                                         \
	X(cntv_cval_el0, 0)                                                                        \
	X(cntp_ctl_el0, 0)                                                                         \
	X(cntp_cval_el0, 0)

#define EL1_CORE_REGS(X)                                                                           \
	X(sctlr_el1, 0x30d00800)                                                                   \
	X(cpacr_el1, 0)                                                                            \
	X(ttbr0_el1, 0)                                                                            \
	X(ttbr1_el1, 0)                                                                            \
	X(tcr_el1, 0)                                                                              \
	X(mair_el1, 0)                                                                             \
	X(amair_el1, 0)                                                                            \
	X(contextidr_el1, 0)                                                                       \
	X(vbar_el1, 0)                                                                             \
	X(esr_el1, 0)                                                                              \
	X(far_el1, 0)                                                                              \
	X(elr_el1, 0)                                                                              \
	X(spsr_el1, 0)                                                                             \
	X(sp_el1, 0)                                                                               \
	X(sp_el0, 0)                                                                               \
	X(afsr0_el1, 0)                                                                            \
	X(afsr1_el1, 0)                                                                            \
	X(par_el1, 0)                                                                              \
	X(tpidr_el0, 0)                                                                            \
	X(tpidrro_el0, 0)                                                                          \
	X(tpidr_el1, 0)                                                                            \
	X(csselr_el1, 0)                                                                           \
	X(cntkctl_el1, 0)
