/* SPDX-License-Identifier: Apache-2.0 */
/* A console: polled output; and input, for guests that are not our own, by an interrupt. Nothing
 * prints while it measures, so which part it is may be chosen at run time: a board names a part and
 * where it is, or asks its pins. */
#pragma once

#include "arch/types.h"

/* `base`: address of the part, already clocked and set to a rate by a boot loader or emulator. */
struct uart_part {
	void (*init)(uintptr_t base);
	void (*putc)(uintptr_t base, char c); /* waits for room, then sends one byte */
	void (*flush)(uintptr_t base);        /* waits until every byte has left the part */
	int (*get)(uintptr_t base);           /* a byte that has been received, or -1 */
	/* Its interrupt, a level: on, while there is something to get() (or soon afterwards). */
	void (*listen)(uintptr_t base, bool on);
	bool is_pl011;
};

extern const struct uart_part uart_pl011;
extern const struct uart_part uart_bcm2835_aux; /* the mini UART */
extern const struct uart_part uart_exynos4210;

/* A PL011 that nobody has set up: 8 data bits, no parity, FIFOs on, at this rate of its clock. */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud);

struct uart_port {
	const struct uart_part *part;
	uintptr_t base;
	unsigned intid; /* its interrupt; 0: it has no input */
};
