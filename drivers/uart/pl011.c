/* SPDX-License-Identifier: Apache-2.0 */
/* Arm PrimeCell UART PL011 (DDI 0183, 3.3). */
#include "arch/mmio.h"
#include "drivers/uart/pl011_regs.h"
#include "drivers/uart/uart.h"

/* The divisor is the clock divided by 16 times the rate, in 64ths. The write of LCR_H applies it
 * (3.3.6). */
void pl011_start(uintptr_t base, uint32_t clock_hz, uint32_t baud)
{
	uint32_t divisor = (clock_hz * 4 + baud / 2) / baud;

	mmio_write32(base + UARTCR, 0);
	while (mmio_read32(base + UARTFR) & UARTFR_BUSY)
		;
	mmio_write32(base + UARTLCR_H, 0); /* empty the FIFOs */
	mmio_write32(base + UARTIMSC, 0);
	mmio_write32(base + UARTIBRD, divisor >> 6);
	mmio_write32(base + UARTFBRD, divisor & 0x3fu);
	mmio_write32(base + UARTLCR_H, UARTLCR_H_WLEN_8 | UARTLCR_H_FEN);
	mmio_write32(base + UARTCR, UARTCR_UARTEN | UARTCR_TXE | UARTCR_RXE);
}

/* Bits 11:8 of UARTDR hold errors. */
const struct uart_part uart_pl011 = {
	.in = UARTDR,
	.out = UARTDR,
	.full = { UARTFR, .bits = UARTFR_TXFF },
	.busy = { UARTFR, .bits = UARTFR_BUSY },
	.empty = { UARTFR, .bits = UARTFR_RXFE },
	.control = UARTCR,
	.transmit = UARTCR_UARTEN | UARTCR_TXE,
	.receive = UARTCR_RXE,
	.listen = { UARTIMSC, UARTINT_RX | UARTINT_RT },
	.ignore = { UARTIMSC, 0 },
	.is_pl011 = true,
};
