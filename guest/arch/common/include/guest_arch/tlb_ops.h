/* SPDX-License-Identifier: Apache-2.0 */
/* TLB maintenance as an operating system at EL1 does it: DSB, TLBI, DSB, ISB. A window contains
 * only these four instructions; the argument is made beforehand. */
#pragma once

#include "arch/types.h"
#include "guest_arch/ops.h"

OPS_INLINE reg_t tlbi_argument_va(va_t va, unsigned asid)
{
	return TLBI_ARGUMENT_VA(va, asid);
}

OPS_INLINE reg_t tlbi_argument_asid(unsigned asid)
{
	return TLBI_ARGUMENT_ASID(asid);
}

#define TLBI_OP(name, tlbi)                                                                        \
	OPS_INLINE reg_t name(reg_t argument)                                                      \
	{                                                                                          \
		__asm__ volatile("dsb ish\n\t" tlbi "\n\tdsb ish\n\tisb"                           \
				 :                                                                 \
				 : "r"(argument)                                                   \
				 : "memory");                                                      \
		return argument;                                                                   \
	}

TLBI_OP(tlbi_op_va, TLBI_VA)
TLBI_OP(tlbi_op_asid, TLBI_ASID)
TLBI_OP(tlbi_op_all_el1, TLBI_ALL_EL1)
