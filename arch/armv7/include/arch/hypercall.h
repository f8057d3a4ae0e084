/* SPDX-License-Identifier: Apache-2.0 */
/* HVC and SMC with the SMC Calling Convention's registers: id and arguments in, r0 out; every
 * other register is kept by our hypervisor, r1-r3 are given up so that others' may change them. */
#pragma once

#include "arch/types.h"

#define SMCCC_CALL(name, instruction)                                                              \
	static inline __attribute__((always_inline)) reg_t name(reg_t id, reg_t a1, reg_t a2)      \
	{                                                                                          \
		register reg_t r0 __asm__("r0") = id;                                              \
		register reg_t r1 __asm__("r1") = a1;                                              \
		register reg_t r2 __asm__("r2") = a2;                                              \
		register reg_t r3 __asm__("r3") = 0;                                               \
		__asm__ volatile(instruction                                                       \
				 : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)                          \
				 :                                                                 \
				 : "memory");                                                      \
		return r0;                                                                         \
	}

SMCCC_CALL(hvc, ".arch_extension virt\n\thvc #0")
SMCCC_CALL(smc, ".arch_extension sec\n\tsmc #0")
