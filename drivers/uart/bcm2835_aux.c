/* SPDX-License-Identifier: Apache-2.0 */
/* The mini UART of the BCM2835 family's auxiliary block (BCM2711 ARM Peripherals, 2.2). Its rate
 * depends on the VPU's clock, which the firmware sets: this driver keeps the rate. */
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

const struct uart_part uart_bcm2835_aux = {
	.in = AUX_MU_IO,
	.out = AUX_MU_IO,
	.full = { AUX_MU_LSR, .clear = true, LSR_TX_EMPTY },
	.busy = { AUX_MU_LSR, .clear = true, LSR_TX_IDLE },
	.empty = { AUX_MU_LSR, .clear = true, LSR_RX_READY },
	.control = AUX_MU_CNTL,
	.transmit = CNTL_TX_ENABLE,
	.receive = CNTL_RX_ENABLE,
	.mask = AUX_MU_IER,
	.listen = IER_RX,
};
