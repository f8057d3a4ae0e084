/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance as an operating system at EL1 does it, for windows that hold nothing else: DSB,
 * TLBI, DSB, ISB. The argument is made beforehand. armv7 has the same functions.
 */
#pragma once

#include "arch/types.h"
#include "guest_arch/ops.h"

/* DDI 0487 C5.5: the page number in bits 43:0, the ASID in bits 63:48. */
OPS_INLINE reg_t tlbi_argument_va(va_t va, unsigned asid)
{
	return va >> 12 | (reg_t)asid << 48;
}

OPS_INLINE reg_t tlbi_argument_asid(unsigned asid)
{
	return (reg_t)asid << 48;
}

#define TLBI_OP(name, operation)                                                                   \
	OPS_INLINE reg_t name(reg_t argument)                                                      \
	{                                                                                          \
		__asm__ volatile("dsb ish\n\ttlbi " operation "\n\tdsb ish\n\tisb"                 \
				 :                                                                 \
				 : "r"(argument)                                                   \
				 : "memory");                                                      \
		return argument;                                                                   \
	}

TLBI_OP(tlbi_op_va, "vae1, %0")
TLBI_OP(tlbi_op_asid, "aside1, %0")
TLBI_OP(tlbi_op_all_el1, "vmalle1")
