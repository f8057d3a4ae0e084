/* SPDX-License-Identifier: Apache-2.0 */
/* A console: polled output, and input by an interrupt for unmodified guests. A board names a UART
 * and its address, or reads its pins to choose the UART at run time; no code prints while it
 * measures, so the choice costs nothing. */
#pragma once

#include "arch/types.h"

/*
 * A condition on a register: true while one of these bits is set, or, with `clear`, while none is.
 */
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

/* The differences between UARTs: offsets of registers, and values. */
struct uart_part {
	uint16_t in, out; /* offsets of the data registers, which hold a byte */
	/* conditions: no room to send; an unsent byte; no received byte */
	struct uart_flag full, busy, empty;
	uint16_t control;
	uint32_t transmit, receive; /* bits of `control` that are set */
	uint32_t off;            /* disable bits of `control`, cleared for sending and receiving */
	struct uart_write level; /* sets the FIFO's level for an interrupt; value 0: not written */
	/* Enable and disable the interrupt of a byte: two values of a mask, or a value for an
	 * enable register and one for a disable register. */
	struct uart_write listen, ignore;
	uint16_t pending;
	/* value for `pending` that ends the interrupt; 0: the interrupt ends by itself */
	uint32_t clear;
	bool is_pl011;
};

extern const struct uart_part uart_pl011;
extern const struct uart_part uart_bcm2835_aux; /* the mini UART */
extern const struct uart_part uart_cadence;
extern const struct uart_part uart_exynos4210;
extern const struct uart_part uart_imx;
extern const struct uart_part uart_ns16550;

/* Set up a PL011: 8 data bits, no parity, FIFOs on, at this rate with this clock. */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud);

struct uart_port {
	const struct uart_part *part;
	uintptr_t base;
	unsigned intid; /* 0 without input */
};

/* Prepare a UART whose clock and rate a boot loader or emulator has set. */
void uart_init(const struct uart_port *port);

/* Wait for room, then send one byte; wait until every byte has left the UART. */
void uart_putc(const struct uart_port *port, char c);
void uart_flush(const struct uart_port *port);

/* Return the next received byte, or -1. */
int uart_get(const struct uart_port *port);

/*
 * Enable or disable the interrupt, a level that is high while (or soon after) uart_get() has a
 * byte.
 */
void uart_listen(const struct uart_port *port, bool on);
