/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path at EL1, into irq_stamps (guest/irq.h): four instructions each,
 * wherever they stand. The isb keeps the read behind what it is to come after; in a vector a nop
 * takes its place, since exception entry has synchronised the context. vectors.S has its own macro.
 */
#pragma once

#define IRQ_STAMP_VECTOR 0
#define IRQ_STAMP_HANDLER 8
#define IRQ_STAMP_EOI 16

#ifndef __ASSEMBLER__
#include "guest_arch/ops.h"

OPS_INLINE void irq_stamp_handler(void)
{
	reg_t ticks, address;

	__asm__ volatile("isb\n\tmrs %0, cntpct_el0\n\tadrp %1, irq_stamps\n\t"
			 "str %0, [%1, :lo12:irq_stamps + %2]"
			 : "=&r"(ticks), "=&r"(address)
			 : "i"(IRQ_STAMP_HANDLER)
			 : "memory");
}
#endif
