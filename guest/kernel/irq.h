/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of the guest: a handler for each INTID. They do not nest. */
#pragma once

#include "abi/guest_run.h"
#include "drivers/gic/gic.h"

#define IRQ_COUNT 256u /* INTIDs that can have a handler */

/* vector_ticks: CNTPCT as the vector read it, three instructions after the entry. iar: the value
 * of gic_ack(). The handler clears the interrupt's source; the kernel then ends the interrupt
 * (EOI). */
typedef void (*irq_handler)(uint64_t vector_ticks, uint32_t iar);

/*
 * Turn on the GIC, with every interrupt disabled and no handlers. An interrupt without a handler
 * crashes the guest.
 */
void irq_init(const struct guest_run *run);

void irq_set_handler(unsigned intid, irq_handler handler);

/* Return why software cannot pend the board's first `most` SPIs without a device (the board has
 * none, or a device pends one), or NULL if software can. */
const char *irq_no_spis(const struct guest_run *run, unsigned most);

/*
 * Give the special INTIDs, 1020 to 1023, to `handler` from now on. They need no end of interrupt.
 */
void irq_on_special(void (*handler)(uint32_t iar));

/* Return the number of spurious interrupts: they were gone when the kernel acknowledged them. */
uint32_t irq_spurious_count(void);

/* CNTPCT at points of the last interrupt's path. With guest_arch_irq_stamps() the entry takes
 * stamps before the vector's own stamp and after the end of the interrupt; irq_stamp_handler()
 * takes one between them. */
struct irq_stamps {
	uint64_t vector;
	uint64_t handler;
	uint64_t eoi;
};
extern volatile struct irq_stamps irq_stamps;

/* The vector calls this function with interrupts masked. */
void irq_dispatch(uint64_t vector_ticks);
