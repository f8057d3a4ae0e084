/* SPDX-License-Identifier: Apache-2.0 */
/* The UART of Samsung's Exynos 4 and 5 (Exynos 5 Dual user's manual, UART; device tree binding
 * samsung,exynos4210-uart). Mode and rate stay as the boot loader set them. */
#include "drivers/uart/uart.h"

#define RXD (1u << 0) /* receive interrupt, in UINTM and UINTP */

const struct uart_part uart_exynos4210 = {
	.in = 0x24,                                       /* URXH */
	.out = 0x20,                                      /* UTXH */
	.full = { 0x18, .bits = 1u << 24 },               /* UFSTAT: FIFO full */
	.busy = { 0x10, .clear = true, 1u << 2 },         /* UTRSTAT: FIFO and shifter empty */
	.empty = { 0x18, .clear = true, 1u << 8 | 0xff }, /* UFSTAT: FIFO full, and its count */
	.control = 0x04,                                  /* UCON */
	/* polling, or interrupts at the FIFO's level and, after a timeout, below it */
	.receive = 1u << 0 | 1u << 8 | 1u << 7,
	.listen = { 0x38, 0xf & ~RXD }, /* UINTM */
	.ignore = { 0x38, 0xf },
	.pending = 0x30, /* UINTP; writing a 1 clears the bit */
	.clear = RXD,
};
