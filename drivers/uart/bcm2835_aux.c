/* SPDX-License-Identifier: Apache-2.0 */
/* The mini UART of the BCM2835 family's auxiliary block (BCM2711 ARM Peripherals, 2.2). Its rate
 * depends on the VPU's clock, which the firmware sets: this driver keeps the rate. */
#include "drivers/uart/uart.h"

const struct uart_part uart_bcm2835_aux = {
	.in = 0x00, /* AUX_MU_IO */
	.out = 0x00,
	.full = { 0x14, .clear = true, 1u << 5 },  /* AUX_MU_LSR: room for a byte */
	.busy = { 0x14, .clear = true, 1u << 6 },  /* AUX_MU_LSR: the shifter is empty, too */
	.empty = { 0x14, .clear = true, 1u << 0 }, /* AUX_MU_LSR: a byte has arrived */
	.control = 0x20,                           /* AUX_MU_CNTL */
	.transmit = 1u << 1,
	.receive = 1u << 0,
	/* AUX_MU_IER: bit 0 needs bit 2 too, which the manual describes as the transmitter's */
	.listen = { 0x04, 0x5 },
	.ignore = { 0x04, 0 },
};
