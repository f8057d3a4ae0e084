/* SPDX-License-Identifier: Apache-2.0 */
/* The UART of Samsung's Exynos 4 and 5 (Exynos 5 Dual user's manual, UART; device tree binding
 * samsung,exynos4210-uart). Mode and rate stay as the boot loader set them. */
#include "drivers/uart/uart.h"

#define UCON 0x04u
#define UTRSTAT 0x10u
#define UFSTAT 0x18u
#define UTXH 0x20u
#define URXH 0x24u
#define UINTP 0x30u               /* pending; writing a 1 clears the bit */
#define UINTM 0x38u               /* masked */
#define UCON_RX_POLLED (1u << 0)  /* or by interrupt */
#define UCON_RX_TIMEOUT (1u << 7) /* fewer bytes than the FIFO's level interrupt, too */
#define UCON_RX_LEVEL (1u << 8)
#define UTRSTAT_TX_IDLE (1u << 2) /* FIFO and shifter are empty */
#define UFSTAT_RX_COUNT 0xffu
#define UFSTAT_RX_FULL (1u << 8)
#define UFSTAT_TX_FULL (1u << 24)
#define UINT_RXD (1u << 0)
#define UINT_ALL 0xfu

const struct uart_part uart_exynos4210 = {
	.in = URXH,
	.out = UTXH,
	.full = { UFSTAT, .bits = UFSTAT_TX_FULL },
	.busy = { UTRSTAT, .clear = true, UTRSTAT_TX_IDLE },
	.empty = { UFSTAT, .clear = true, UFSTAT_RX_COUNT | UFSTAT_RX_FULL },
	.control = UCON,
	.receive = UCON_RX_POLLED | UCON_RX_TIMEOUT | UCON_RX_LEVEL,
	.mask = UINTM,
	.listen = UINT_ALL & ~UINT_RXD,
	.ignore = UINT_ALL,
	.pending = UINTP,
	.clear = UINT_RXD,
};
