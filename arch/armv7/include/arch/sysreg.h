/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System registers, by their ARMv8 names: read_<name>() and write_<name>(value), here by
 * coprocessor encodings; a register without an Armv8 name has its Armv7 name. The comment
 * after an entry has its name in DDI 0406C (encodings: B3.17, B8.2).
 */
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
 * reaches every mode below it) */
#define SYSREG_STATUS_READ(name, reg)                                                              \
	ACCESSOR_READ(name, reg_t, ".arch_extension virt\n\tmrs %0, " #reg)
#define SYSREG_STATUS_WRITE(name, reg)                                                             \
	ACCESSOR_WRITE(name, reg_t, ".arch_extension virt\n\tmsr " #reg ", %0")
#define SYSREG_BANKED(name) SYSREG_STATUS_READ(name, name) SYSREG_STATUS_WRITE(name, name)

/* Identification and level */
SYSREG32_READ(midr_el1, 0, c0, c0, 0)
SYSREG32_READ(ctr_el0, 0, c0, c0, 1)
SYSREG32_READ(mpidr_el1, 0, c0, c0, 5)
SYSREG32_READ(revidr_el1, 0, c0, c0, 6)
SYSREG32_READ(id_pfr1_el1, 0, c0, c1, 1)
SYSREG32_READ(id_mmfr0_el1, 0, c0, c1, 4)
SYSREG32_READ(ccsidr_el1, 1, c0, c0, 0)
SYSREG32_READ(clidr_el1, 1, c0, c0, 1)
SYSREG_STATUS_READ(cpsr, cpsr)

/* Debug: the one CP14 register that C reads */
ACCESSOR_READ(dbgdidr, reg_t, "mrc p14, 0, %0, c0, c0, 0")

/* Secure state */
SYSREG32(nsacr, 0, c1, c1, 2)

/* Hypervisor control */
SYSREG32(vpidr_el2, 4, c0, c0, 0)
SYSREG32(vmpidr_el2, 4, c0, c0, 5)
SYSREG32(sctlr_el2, 4, c1, c0, 0) /* HSCTLR */
SYSREG32(hcr_el2, 4, c1, c1, 0)
SYSREG32(mdcr_el2, 4, c1, c1, 1) /* HDCR */
SYSREG32(cptr_el2, 4, c1, c1, 2) /* HCPTR */
SYSREG32(hstr_el2, 4, c1, c1, 3)
SYSREG32(vbar_el2, 4, c12, c0, 0)  /* HVBAR */
SYSREG32(tpidr_el2, 4, c13, c0, 2) /* HTPIDR */

/* Exceptions taken to HYP mode */
SYSREG32(esr_el2, 4, c5, c2, 0)      /* HSR */
SYSREG32_READ(far_el2, 4, c6, c0, 0) /* HDFAR */
SYSREG32_READ(hifar, 4, c6, c0, 2)   /* the upper half of FAR_EL2 */
SYSREG32_READ(hpfar_el2, 4, c6, c0, 4)
SYSREG_STATUS_READ(elr_el2, elr_hyp)
SYSREG_STATUS_WRITE(elr_el2, elr_hyp)
SYSREG_STATUS_READ(spsr_el2, spsr)
SYSREG_STATUS_WRITE(spsr_el2, spsr_cxsf)

/* Translation */
SYSREG64(ttbr0_el2, 4, c2)        /* HTTBR */
SYSREG32(tcr_el2, 4, c2, c0, 2)   /* HTCR */
SYSREG32(mair_el2, 4, c10, c2, 0) /* HMAIR0: attributes 0 to 3 */
SYSREG64(vttbr_el2, 6, c2)
SYSREG32(vtcr_el2, 4, c2, c1, 2)

/* PL1 state */
#define X(name, reset, kind, ...) kind(name, ##__VA_ARGS__)
EL1_REGS(X)
#undef X
SYSREG32(actlr_el1, 0, c1, c0, 1)

/* Performance monitors: B4.1, PMUv1 and v2 reach the cycle counter's filter by PMSELR 31 */
SYSREG32_READ(id_dfr0_el1, 0, c0, c1, 2)
SYSREG32(pmcr_el0, 0, c9, c12, 0)
SYSREG32(pmcntenset_el0, 0, c9, c12, 1)
SYSREG32(pmcntenclr_el0, 0, c9, c12, 2)
SYSREG32(pmovsclr_el0, 0, c9, c12, 3) /* PMOVSR */
SYSREG32(pmselr_el0, 0, c9, c12, 5)
SYSREG32_READ(pmceid0_el0, 0, c9, c12, 6)
SYSREG32_READ(pmceid1_el0, 0, c9, c12, 7)
SYSREG32(pmccntr_el0, 0, c9, c13, 0)
SYSREG32(pmxevtyper_el0, 0, c9, c13, 1)
SYSREG32(pmuserenr_el0, 0, c9, c14, 0)
SYSREG32(pmintenclr_el1, 0, c9, c14, 2)

/* Generic timer */
SYSREG32(cntfrq_el0, 0, c14, c0, 0)
SYSREG64_READ(cntpct_el0, 0, c14)
SYSREG64_READ(cntvct_el0, 1, c14)
SYSREG32(cnthctl_el2, 4, c14, c1, 0)
SYSREG64(cntvoff_el2, 4, c14)
SYSREG32(cnthp_ctl_el2, 4, c14, c2, 1)
SYSREG64(cnthp_cval_el2, 6, c14)
