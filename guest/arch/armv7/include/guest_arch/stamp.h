/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path at PL1, into irq_stamps (guest/irq.h): five instructions each,
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
	uint64_t ticks;
	reg_t address;

	__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14\n\tmovw %1, #:lower16:irq_stamps\n\t"
			 "movt %1, #:upper16:irq_stamps\n\tstrd %Q0, %R0, [%1, %2]"
			 : "=&r"(ticks), "=&r"(address)
			 : "i"(IRQ_STAMP_HANDLER)
			 : "memory");
}
#endif
