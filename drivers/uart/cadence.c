/* SPDX-License-Identifier: Apache-2.0 */
/* The Cadence UART of Zynq and Zynq UltraScale+ (UG1087, module UART; device tree binding
 * cdns,uart-r1p12). Mode and rate stay as the boot loader set them. */
#include "drivers/uart/uart.h"

#define RTRIG (1u << 0) /* in IER, IDR and ISR: the receive FIFO has reached its level */

const struct uart_part uart_cadence = {
	.in = 0x30, /* FIFO */
	.out = 0x30,
	.full = { 0x2c, .bits = 1u << 4 },  /* Channel_sts: TFUL */
	.busy = { 0x2c, .bits = 1u << 11 }, /* TACTIVE */
	.empty = { 0x2c, .bits = 1u << 1 }, /* REMPTY */
	.control = 0x00,
	.transmit = 1u << 4, /* TXEN */
	.receive = 1u << 2,  /* RXEN */
	/* TXDIS, RXDIS, STTBRK: each overrides the enable bits */
	.off = 1u << 5 | 1u << 3 | 1u << 7,
	.level = { 0x20, 1 },       /* Rcvr_FIFO_trigger_level: one byte */
	.listen = { 0x08, RTRIG },  /* Intrpt_en: a 1 enables */
	.ignore = { 0x0c, 0x3fff }, /* Intrpt_dis: a 1 disables */
	.pending = 0x14,            /* Chnl_int_sts; writing a 1 clears the bit */
	.clear = RTRIG,
};
