/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv7's part of guest_arch/any_register.h. */
#pragma once

#define ANY_32(X, name, kind, operands) X(name, kind, "mrc " operands, "mcr " operands)
#define ANY_64(X, name, kind, operands) X(name, kind, "mrrc " operands, "mcrr " operands)

#define ANY_TIMER(X)                                                                               \
	ANY_32(X, cntv_ctl, ANY_FREE, "p15, 0, %0, c14, c3, 1")                                    \
	ANY_32(X, cntv_tval, ANY_FREE, "p15, 0, %0, c14, c3, 0")                                   \
	ANY_32(X, cntp_ctl, ANY_CNTP, "p15, 0, %0, c14, c2, 1")                                    \
	ANY_32(X, cntp_tval, ANY_CNTP, "p15, 0, %0, c14, c2, 0")                                   \
	ANY_32(X, cntkctl, ANY_FREE, "p15, 0, %0, c14, c1, 0")                                     \
	ANY_64(X, cntv_cval, ANY_FREE, "p15, 3, %0, %1, c14")                                      \
	ANY_64(X, cntp_cval, ANY_CNTP, "p15, 2, %0, %1, c14")
#define ANY_ICC(X)               /* no Armv7 core has a GICv3 */
#define ANY_3_BITS ANY_REGISTERS /* no register needs this */
