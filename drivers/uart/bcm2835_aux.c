/* SPDX-License-Identifier: Apache-2.0 */
/* The mini UART of the BCM2835 family's auxiliary block (BCM2711 ARM Peripherals, 2.2). Its rate
 * hangs on the VPU's clock, which the firmware holds: whatever it was set to stays. */
#include "arch/mmio.h"
#include "drivers/uart/uart.h"

#define AUX_MU_IO 0x00u
#define AUX_MU_LSR 0x14u
#define AUX_MU_CNTL 0x20u
#define LSR_TX_EMPTY (1u << 5) /* room for a byte */
#define LSR_TX_IDLE (1u << 6)  /* and nothing is being sent */
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

const struct uart_part uart_bcm2835_aux = { aux_init, aux_putc, aux_flush };
