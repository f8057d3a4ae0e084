/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of the guest: a handler for each INTID. They do not nest. */
#pragma once

#include "abi/guest_run.h"
#include "drivers/gic/gic.h"

#define IRQ_COUNT 256u /* INTIDs that can have a handler */

/* vector_ticks: CNTPCT as the vector read it, three instructions in; iar: as gic_ack() gave it. The
 * handler clears its source, the kernel ends the interrupt (EOI). */
typedef void (*irq_handler)(uint64_t vector_ticks, uint32_t iar);

/* GIC on, everything disabled, no handlers: an interrupt without one crashes the guest. */
void irq_init(const struct guest_run *run);

void irq_set_handler(unsigned intid, irq_handler handler);

/* Why software cannot pend the board's SPIs without a device, the first `most` of them: there is
 * none, or a device pends one. NULL: software can. */
const char *irq_no_spis(const struct guest_run *run, unsigned most);

/* From now on `handler` gets the special INTIDs, 1020 to 1023, which have no end of interrupt. */
void irq_on_special(void (*handler)(uint32_t iar));

/* Interrupts that were gone when they were acknowledged. */
uint32_t irq_spurious_count(void);

/* CNTPCT on the path of the last interrupt: guest_arch_irq_stamps() has stamps taken before the
 * vector's own stamp and after the end of the interrupt, irq_stamp_handler() takes one between. */
struct irq_stamps {
	uint64_t vector;
	uint64_t handler;
	uint64_t eoi;
};
extern volatile struct irq_stamps irq_stamps;

/* From the vector, interrupts masked. */
void irq_dispatch(uint64_t vector_ticks);
