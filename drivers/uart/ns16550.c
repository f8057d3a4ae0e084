/* SPDX-License-Identifier: Apache-2.0 */
/* A 16550 with a register a word, such as Synopsys' DW_apb_uart (device tree bindings ns16550a with
 * reg-shift 2, snps,dw-apb-uart). Mode, rate and FIFOs stay as the boot loader set them. */
#include "drivers/uart/uart.h"

const struct uart_part uart_ns16550 = {
	.in = 0x00,                                /* RBR */
	.out = 0x00,                               /* THR */
	.full = { 0x14, .clear = true, 1u << 5 },  /* LSR: room */
	.busy = { 0x14, .clear = true, 1u << 6 },  /* LSR: TEMT */
	.empty = { 0x14, .clear = true, 1u << 0 }, /* LSR: DR */
	.listen = { 0x04, 1u << 0 },               /* IER: ERBFI */
	.ignore = { 0x04, 0 },
};
