/* SPDX-License-Identifier: Apache-2.0 */
/* GICv3 system registers (IHI 0069, chapter 12). They are not part of sysreg.h, because only
 * drivers/gic/gicv3.c needs them. */
#pragma once

#include "arch/sysreg.h"

/* CPU interface */
SYSREG_WRITE(icc_sre_el3)
SYSREG(icc_sre_el2)
SYSREG(icc_sre_el1)
SYSREG(icc_ctlr_el1)
SYSREG(icc_pmr_el1)
SYSREG(icc_bpr1_el1)
SYSREG(icc_igrpen1_el1)
SYSREG(icc_ap0r0_el1)
SYSREG(icc_ap1r0_el1)
SYSREG_READ(icc_iar1_el1)
SYSREG_WRITE(icc_eoir1_el1)
SYSREG_WRITE(icc_dir_el1)
SYSREG_WRITE(icc_sgi1r_el1)

/* Virtual interface control */
SYSREG(ich_hcr_el2)
SYSREG_READ(ich_vtr_el2)
SYSREG(ich_vmcr_el2)
SYSREG_READ(ich_eisr_el2)
SYSREG_READ(ich_elrsr_el2)
SYSREG(ich_ap0r0_el2)
SYSREG(ich_ap1r0_el2)
SYSREG(ich_lr0_el2)
SYSREG(ich_lr1_el2)
SYSREG(ich_lr2_el2)
SYSREG(ich_lr3_el2)
