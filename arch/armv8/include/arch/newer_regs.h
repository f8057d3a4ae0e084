/* SPDX-License-Identifier: Apache-2.0 */
/* EL2's registers of cores newer than Armv8.0: X(name, EL2's value, kind of accessor, ID register,
 * its field, the least value of that field with which the register exists). A 0 in the registers of
 * fine-grained traps traps only the newest registers. */
#pragma once

#define NEWER_REGS(X)                                                                              \
	X(s3_4_c10_c5_0, 3ull << 48, SYSREG_WRITE, id_aa64pfr0_el1, 40, 1) /* MPAM2_EL2: traps */  \
	X(s3_4_c1_c2_2, 0, SYSREG_WRITE, id_aa64mmfr1_el1, 40, 1)          /* HCRX_EL2 */          \
	X(s3_4_c1_c1_4, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 1)          /* HFGRTR_EL2 */        \
	X(s3_4_c1_c1_5, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 1)          /* HFGWTR_EL2 */        \
	X(s3_4_c1_c1_6, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 1)          /* HFGITR_EL2 */        \
	X(s3_4_c3_c1_4, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 1)          /* HDFGRTR_EL2 */       \
	X(s3_4_c3_c1_5, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 1)          /* HDFGWTR_EL2 */       \
	X(s3_4_c3_c1_0, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 2)          /* HDFGRTR2_EL2 */      \
	X(s3_4_c3_c1_1, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 2)          /* HDFGWTR2_EL2 */      \
	X(s3_4_c3_c1_2, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 2)          /* HFGRTR2_EL2 */       \
	X(s3_4_c3_c1_3, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 2)          /* HFGWTR2_EL2 */       \
	X(s3_4_c3_c1_7, 0, SYSREG_WRITE, id_aa64mmfr0_el1, 56, 2)          /* HFGITR2_EL2 */
