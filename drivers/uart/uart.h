/* SPDX-License-Identifier: Apache-2.0 */
/* A console: polled output, and input for unmodified guests by an interrupt. The part may be chosen
 * at run time, since no code prints while it measures: a board names a part and its address, or
 * reads its pins. */
#pragma once

#include "arch/types.h"

/* True while one of these bits of a register is set; `clear`: while none is. */
struct uart_flag {
	uint16_t offset;
	bool clear;
	uint32_t bits;
};

/* One write of a register. */
struct uart_write {
	uint16_t offset;
	uint32_t value;
};

/* What differs between UARTs: offsets of registers, and values. */
struct uart_part {
	uint16_t in, out;                   /* a byte */
	struct uart_flag full, busy, empty; /* no room to send; a byte has not left; none to get */
	uint16_t control;
	uint32_t transmit, receive; /* bits of `control` that are set */
	uint32_t off;            /* bits of `control` that are cleared with either: disable bits */
	struct uart_write level; /* the FIFO's level for an interrupt; value 0: none is written */
	/* with and without the interrupt of a byte: two values of a mask, or a value for a register
	 * that enables and one for a register that disables */
	struct uart_write listen, ignore;
	uint16_t pending;
	uint32_t clear; /* written to `pending` ends the interrupt; 0: it ends by itself */
	bool is_pl011;
};

extern const struct uart_part uart_pl011;
extern const struct uart_part uart_bcm2835_aux; /* the mini UART */
extern const struct uart_part uart_cadence;
extern const struct uart_part uart_exynos4210;
extern const struct uart_part uart_imx;
extern const struct uart_part uart_ns16550;

/* Set up a PL011: 8 data bits, no parity, FIFOs on, this rate by this clock. */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud);

struct uart_port {
	const struct uart_part *part;
	uintptr_t base;
	unsigned intid; /* 0: no input */
};

/* A boot loader or emulator has set clock and rate. */
void uart_init(const struct uart_port *port);

/* Wait for room, then send one byte; wait until every byte has left the part. */
void uart_putc(const struct uart_port *port, char c);
void uart_flush(const struct uart_port *port);

/* The next received byte, or -1. */
int uart_get(const struct uart_port *port);

/* The interrupt, a level: high while (or soon after) uart_get() has a byte. */
void uart_listen(const struct uart_port *port, bool on);
