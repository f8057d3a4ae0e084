/* SPDX-License-Identifier: Apache-2.0 */
/* Arm PrimeCell UART PL011 (DDI 0183, 3.3). */
#include "arch/mmio.h"
#include "drivers/uart/pl011_regs.h"
#include "drivers/uart/uart.h"

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

/* Bits 11:8 of the register hold errors. */
static int pl011_get(uintptr_t base)
{
	if (mmio_read32(base + UARTFR) & UARTFR_RXFE)
		return -1;
	return (int)(mmio_read32(base + UARTDR) & 0xff);
}

static void pl011_listen(uintptr_t base, bool on)
{
	if (on)
		mmio_write32(base + UARTCR, mmio_read32(base + UARTCR) | UARTCR_RXE);
	mmio_write32(base + UARTIMSC, on ? UARTINT_RX | UARTINT_RT : 0);
}

/* The divisor is the clock over 16 times the rate, in 64ths; the write of LCR_H applies it
 * (3.3.6). */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud)
{
	uint32_t divisor = (clock_hz * 4 + baud / 2) / baud;

	mmio_write32(base + UARTCR, 0);
	pl011_flush(base);
	mmio_write32(base + UARTLCR_H, 0); /* FIFOs empty */
	mmio_write32(base + UARTIMSC, 0);
	mmio_write32(base + UARTIBRD, divisor >> 6);
	mmio_write32(base + UARTFBRD, divisor & 0x3fu);
	mmio_write32(base + UARTLCR_H, UARTLCR_H_WLEN_8 | UARTLCR_H_FEN);
	mmio_write32(base + UARTCR, UARTCR_UARTEN | UARTCR_TXE | UARTCR_RXE);
}

const struct uart_part uart_pl011 = {
	.init = pl011_init,
	.putc = pl011_putc,
	.flush = pl011_flush,
	.get = pl011_get,
	.listen = pl011_listen,
	.is_pl011 = true,
};
