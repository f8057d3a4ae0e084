/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path at EL1, into irq_stamps (guest/kernel/irq.h): five instructions each
 * on ARMv7, four on ARMv8. The isb keeps the read after the preceding code; in a vector a nop
 * replaces the isb, since exception entry has synchronised the context. vectors.S has a macro of
 * its own.
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

	__asm__ volatile("isb\n\t" IRQ_STAMP_STORE
			 : "=&r"(ticks), "=&r"(address)
			 : "i"(IRQ_STAMP_HANDLER)
			 : "memory");
}
#endif
