/* SPDX-License-Identifier: Apache-2.0 */
/* The UART of Samsung's Exynos 4 and 5 (Exynos 5 Dual user's manual, UART; device tree binding
 * samsung,exynos4210-uart). Mode and rate stay as the boot loader set them. */
#include "arch/mmio.h"
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

static void exynos_init(uintptr_t base)
{
	(void)base;
}

static void exynos_putc(uintptr_t base, char c)
{
	while (mmio_read32(base + UFSTAT) & UFSTAT_TX_FULL)
		;
	mmio_write32(base + UTXH, (uint8_t)c);
}

static void exynos_flush(uintptr_t base)
{
	while (!(mmio_read32(base + UTRSTAT) & UTRSTAT_TX_IDLE))
		;
}

static bool has_byte(uintptr_t base)
{
	return mmio_read32(base + UFSTAT) & (UFSTAT_RX_COUNT | UFSTAT_RX_FULL);
}

/* An empty FIFO: clear the interrupt and look again, since a byte may have arrived before the
 * clear. */
static int exynos_get(uintptr_t base)
{
	if (!has_byte(base)) {
		mmio_write32(base + UINTP, UINT_RXD);
		if (!has_byte(base))
			return -1;
	}
	return (int)(mmio_read32(base + URXH) & 0xff);
}

static void exynos_listen(uintptr_t base, bool on)
{
	if (on)
		mmio_write32(base + UCON, mmio_read32(base + UCON) | UCON_RX_POLLED |
						  UCON_RX_TIMEOUT | UCON_RX_LEVEL);
	mmio_write32(base + UINTM, on ? UINT_ALL & ~UINT_RXD : UINT_ALL);
}

const struct uart_part uart_exynos4210 = {
	.init = exynos_init,
	.putc = exynos_putc,
	.flush = exynos_flush,
	.get = exynos_get,
	.listen = exynos_listen,
};
