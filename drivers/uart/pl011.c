/* SPDX-License-Identifier: Apache-2.0 */
/* Arm PrimeCell UART PL011 (DDI 0183, 3.3). */
#include "arch/mmio.h"
#include "drivers/uart/uart.h"

#define UARTDR 0x000u
#define UARTFR 0x018u
#define UARTCR 0x030u
#define UARTFR_BUSY (1u << 3)
#define UARTFR_TXFF (1u << 5)
#define UARTCR_UARTEN (1u << 0)
#define UARTCR_TXE (1u << 8)

static void pl011_init(uintptr_t base)
{
	mmio_write32(base + UARTCR, mmio_read32(base + UARTCR) | UARTCR_UARTEN | UARTCR_TXE);
}

static void pl011_putc(uintptr_t base, char c)
{
	while (mmio_read32(base + UARTFR) & UARTFR_TXFF)
		;
	mmio_write32(base + UARTDR, (uint8_t)c);
}

static void pl011_flush(uintptr_t base)
{
	while (mmio_read32(base + UARTFR) & UARTFR_BUSY)
		;
}

const struct uart_part uart_pl011 = { pl011_init, pl011_putc, pl011_flush };
