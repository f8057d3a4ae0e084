/* SPDX-License-Identifier: Apache-2.0 */
/* The UART of Samsung's Exynos 4 and 5 (Exynos 5 Dual user's manual, UART; the registers are those
 * of the device tree binding samsung,exynos4210-uart). Mode and rate stay the boot loader's. */
#include "arch/mmio.h"
#include "drivers/uart/uart.h"

#define UTRSTAT 0x10u
#define UFSTAT 0x18u
#define UTXH 0x20u
#define UTRSTAT_TX_IDLE (1u << 2) /* FIFO and shifter are empty */
#define UFSTAT_TX_FULL (1u << 24)

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

const struct uart_part uart_exynos4210 = { exynos_init, exynos_putc, exynos_flush };
