/* SPDX-License-Identifier: Apache-2.0 */
/* The UART of NXP's i.MX (i.MX 8M Plus reference manual, UART; device tree binding fsl,imx6q-uart).
 * Mode and rate stay as the boot loader set them. */
#include "drivers/uart/uart.h"

#define UCR4_CTSTL (32u << 10) /* the reset value */
#define UCR4_DREN (1u << 0)    /* an interrupt while the FIFO has a byte, whatever its level */

const struct uart_part uart_imx = {
	.in = 0x00,                                /* URXD */
	.out = 0x40,                               /* UTXD */
	.full = { 0xb4, .bits = 1u << 4 },         /* UTS: TXFULL */
	.busy = { 0x98, .clear = true, 1u << 3 },  /* USR2: TXDC, FIFO and shifter empty */
	.empty = { 0x98, .clear = true, 1u << 0 }, /* USR2: RDR */
	.control = 0x84,                           /* UCR2 */
	.transmit = 1u << 2,                       /* TXEN */
	.receive = 1u << 1,                        /* RXEN */
	.listen = { 0x8c, UCR4_CTSTL | UCR4_DREN },
	.ignore = { 0x8c, UCR4_CTSTL },
};
