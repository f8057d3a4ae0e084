/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv8's part of guest_arch/any_register.h. */
#pragma once

#define ANY_REG(X, name, kind) X(name, kind, "mrs %0, " #name, "msr " #name ", %0")

#define ANY_TIMER(X)                                                                               \
	ANY_REG(X, cntv_ctl_el0, ANY_FREE)                                                         \
	ANY_REG(X, cntv_cval_el0, ANY_FREE)                                                        \
	ANY_REG(X, cntv_tval_el0, ANY_FREE)                                                        \
	ANY_REG(X, cntp_ctl_el0, ANY_CNTP)                                                         \
	ANY_REG(X, cntp_cval_el0, ANY_CNTP)                                                        \
	ANY_REG(X, cntp_tval_el0, ANY_CNTP)                                                        \
	ANY_REG(X, cntkctl_el1, ANY_FREE)

/* IHI 0069 12.2: PMR, IAR0, EOIR0, HPPIR0, BPR0, AP0R0, AP1R0, DIR, RPR, SGI1R, ASGI1R, SGI0R,
 * IAR1, EOIR1, HPPIR1, BPR1, CTLR, SRE, IGRPEN0, IGRPEN1 */
#define ANY_ICC(X)                                                                                 \
	ANY_REG(X, s3_0_c4_c6_0, ANY_FREE)                                                         \
	ANY_REG(X, s3_0_c12_c8_0, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c8_1, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c8_2, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c8_3, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c8_4, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c9_0, ANY_FREE)                                                        \
	ANY_REG(X, s3_0_c12_c11_1, ANY_DIR)                                                        \
	ANY_REG(X, s3_0_c12_c11_3, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c11_5, ANY_SGI)                                                        \
	ANY_REG(X, s3_0_c12_c11_6, ANY_SGI)                                                        \
	ANY_REG(X, s3_0_c12_c11_7, ANY_SGI)                                                        \
	ANY_REG(X, s3_0_c12_c12_0, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_1, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_2, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_3, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_4, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_5, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_6, ANY_FREE)                                                       \
	ANY_REG(X, s3_0_c12_c12_7, ANY_FREE)

/* BPR1. QEMU (10.0) aborts with a failed assertion when the three bits of BPR1 are 0, which a
 * larger value can cause. */
#define ANY_3_BITS ANY_s3_0_c12_c12_3
