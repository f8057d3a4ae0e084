/* SPDX-License-Identifier: Apache-2.0 */
/* HVC and SMC with the SMC Calling Convention's registers: id and arguments in, x0 out; every
 * other register is kept by our hypervisor, x1-x3 are given up so that others' may change them. */
#pragma once

#include "arch/types.h"

#define SMCCC_CALL(name, instruction)                                                              \
	static inline __attribute__((always_inline)) reg_t name(reg_t id, reg_t a1, reg_t a2)      \
	{                                                                                          \
		register reg_t x0 __asm__("x0") = id;                                              \
		register reg_t x1 __asm__("x1") = a1;                                              \
		register reg_t x2 __asm__("x2") = a2;                                              \
		register reg_t x3 __asm__("x3") = 0;                                               \
		__asm__ volatile(instruction                                                       \
				 : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3)                          \
				 :                                                                 \
				 : "memory");                                                      \
		return x0;                                                                         \
	}

SMCCC_CALL(hvc, "hvc #0")
SMCCC_CALL(smc, "smc #0")
