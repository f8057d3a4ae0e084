/* SPDX-License-Identifier: Apache-2.0 */
/* HVC and SMC with the registers of the SMC Calling Convention: id and arguments in r0 to r3, the
 * result in r0 (ARMv8: x0 to x3; the compiler accepts both names). This hypervisor preserves every
 * other register; another hypervisor may change r1 to r3. */
#pragma once

#include "arch/isa.h"
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

SMCCC_CALL(hvc, HVC_CALL)
SMCCC_CALL(smc, SMC_CALL)
