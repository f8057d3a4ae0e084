/* SPDX-License-Identifier: Apache-2.0 */
/* A console: polled output, and input for unmodified guests by an interrupt. The part may be chosen
 * at run time, since no code prints while it measures: a board names a part and its address, or
 * reads its pins. */
#pragma once

#include "arch/types.h"

/* `base`: address of the part. A boot loader or emulator has set clock and rate. */
struct uart_part {
	void (*init)(uintptr_t base);
	void (*putc)(uintptr_t base, char c); /* wait for room, then send one byte */
	void (*flush)(uintptr_t base);        /* wait until every byte has left the part */
	int (*get)(uintptr_t base);           /* the next received byte, or -1 */
	/* The interrupt, a level: high while (or soon after) get() has a byte. */
	void (*listen)(uintptr_t base, bool on);
	bool is_pl011;
};

extern const struct uart_part uart_pl011;
extern const struct uart_part uart_bcm2835_aux; /* the mini UART */
extern const struct uart_part uart_exynos4210;

/* Set up a PL011: 8 data bits, no parity, FIFOs on, this rate by this clock. */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud);

struct uart_port {
	const struct uart_part *part;
	uintptr_t base;
	unsigned intid; /* 0: no input */
};
