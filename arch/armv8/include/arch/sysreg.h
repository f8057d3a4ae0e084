/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System registers, by their ARMv8 names: read_<name>() and write_<name>(value). The ARMv7 header
 * gives the same functions by coprocessor encodings, so the rest of the tree knows one set of
 * names. Names and meaning: Arm ARM (DDI 0487), D13.
 */
#pragma once

#include "arch/accessor.h"
#include "arch/el1_regs.h"

#define SYSREG_READ(name) ACCESSOR_READ(name, reg_t, "mrs %0, " #name)
#define SYSREG_WRITE(name) ACCESSOR_WRITE(name, reg_t, "msr " #name ", %0")
#define SYSREG(name)                                                                               \
	SYSREG_READ(name)                                                                          \
	SYSREG_WRITE(name)

/* Identification and level */
SYSREG_READ(currentel)
SYSREG_READ(midr_el1)
SYSREG_READ(mpidr_el1)
SYSREG_READ(revidr_el1)
SYSREG_READ(id_aa64pfr0_el1)
SYSREG_READ(id_aa64mmfr0_el1)
SYSREG_READ(id_aa64mmfr1_el1)
SYSREG_READ(ctr_el0)
SYSREG_READ(clidr_el1)
SYSREG_READ(ccsidr_el1)

/* Hypervisor control */
SYSREG(hcr_el2)
SYSREG(cptr_el2)
SYSREG(hstr_el2)
SYSREG(mdcr_el2)
SYSREG(vpidr_el2)
SYSREG(vmpidr_el2)
SYSREG(sctlr_el2)
SYSREG(vbar_el2)
SYSREG(tpidr_el2)
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

/* Exceptions taken to EL2 */
SYSREG(esr_el2)
SYSREG(elr_el2)
SYSREG(spsr_el2)
SYSREG_READ(far_el2)
SYSREG_READ(hpfar_el2)

/* Translation */
SYSREG(ttbr0_el2)
SYSREG(tcr_el2)
SYSREG(mair_el2)
SYSREG(vttbr_el2)
SYSREG(vtcr_el2)

/* EL1 state */
#define X(name, reset) SYSREG(name)
EL1_REGS(X)
#undef X
SYSREG(actlr_el1)

/* Performance monitors */
SYSREG_READ(id_aa64dfr0_el1)
SYSREG(pmcr_el0)
SYSREG(pmcntenset_el0)
SYSREG(pmcntenclr_el0)
SYSREG(pmintenclr_el1)
SYSREG(pmovsclr_el0)
SYSREG(pmuserenr_el0)
SYSREG(pmselr_el0)
SYSREG(pmxevtyper_el0)
SYSREG_READ(pmceid0_el0)
SYSREG_READ(pmceid1_el0)
SYSREG(pmccntr_el0)

/* Generic timer */
SYSREG(cntfrq_el0)
SYSREG_READ(cntpct_el0)
SYSREG_READ(cntvct_el0)
SYSREG(cnthctl_el2)
SYSREG(cntvoff_el2)
SYSREG(cnthp_ctl_el2)
SYSREG(cnthp_cval_el2)
