/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLB maintenance as an operating system at PL1 does it, for windows that hold nothing else: DSB,
 * TLBI, DSB, ISB. The argument is made beforehand. armv8 has the same functions.
 */
#pragma once

#include "arch/types.h"
#include "guest_arch/ops.h"

/* DDI 0406C B4.2.2: the page in bits 31:12, the ASID in bits 7:0. */
OPS_INLINE reg_t tlbi_argument_va(va_t va, unsigned asid)
{
	return (va & ~(va_t)0xfff) | asid;
}

OPS_INLINE reg_t tlbi_argument_asid(unsigned asid)
{
	return asid;
}

#define TLBI_OP(name, encoding)                                                                    \
	OPS_INLINE reg_t name(reg_t argument)                                                      \
	{                                                                                          \
		__asm__ volatile("dsb ish\n\tmcr " encoding "\n\tdsb ish\n\tisb"                   \
				 :                                                                 \
				 : "r"(argument)                                                   \
				 : "memory");                                                      \
		return argument;                                                                   \
	}

TLBI_OP(tlbi_op_va, "p15, 0, %0, c8, c7, 1")      /* TLBIMVA */
TLBI_OP(tlbi_op_asid, "p15, 0, %0, c8, c7, 2")    /* TLBIASID */
TLBI_OP(tlbi_op_all_el1, "p15, 0, %0, c8, c7, 0") /* TLBIALL */
