/* SPDX-License-Identifier: Apache-2.0 */
/* The mini UART of the BCM2835 family's auxiliary block (BCM2711 ARM Peripherals, 2.2). Its rate
 * depends on the VPU's clock, which the firmware sets: this driver keeps the rate. */
#include "arch/mmio.h"
#include "drivers/uart/uart.h"

#define AUX_MU_IO 0x00u
#define AUX_MU_IER 0x04u
#define AUX_MU_LSR 0x14u
#define AUX_MU_CNTL 0x20u
#define IER_RX 0x5u /* bit 0 needs bit 2 too, which the manual calls the transmitter's */
#define LSR_RX_READY (1u << 0)
#define LSR_TX_EMPTY (1u << 5) /* room for a byte */
#define LSR_TX_IDLE (1u << 6)  /* and the shifter is empty */
#define CNTL_RX_ENABLE (1u << 0)
#define CNTL_TX_ENABLE (1u << 1)

static void aux_init(uintptr_t base)
{
	mmio_write32(base + AUX_MU_CNTL, mmio_read32(base + AUX_MU_CNTL) | CNTL_TX_ENABLE);
}

static void aux_putc(uintptr_t base, char c)
{
	while (!(mmio_read32(base + AUX_MU_LSR) & LSR_TX_EMPTY))
		;
	mmio_write32(base + AUX_MU_IO, (uint8_t)c);
}

static void aux_flush(uintptr_t base)
{
	while (!(mmio_read32(base + AUX_MU_LSR) & LSR_TX_IDLE))
		;
}

static int aux_get(uintptr_t base)
{
	if (!(mmio_read32(base + AUX_MU_LSR) & LSR_RX_READY))
		return -1;
	return (int)(mmio_read32(base + AUX_MU_IO) & 0xff);
}

static void aux_listen(uintptr_t base, bool on)
{
	if (on)
		mmio_write32(base + AUX_MU_CNTL, mmio_read32(base + AUX_MU_CNTL) | CNTL_RX_ENABLE);
	mmio_write32(base + AUX_MU_IER, on ? IER_RX : 0);
}

const struct uart_part uart_bcm2835_aux = {
	.init = aux_init,
	.putc = aux_putc,
	.flush = aux_flush,
	.get = aux_get,
	.listen = aux_listen,
};
