/* SPDX-License-Identifier: Apache-2.0 */
/* Orange Pi PC: addresses from sun8i-h3-orangepi-pc.dtb, free interrupts from the H3 datasheet. */
#include "boards/board.h"

const struct board board = {
	.name = "orangepi-pc",
	.guest_base = GUEST_BASE,
	.guest_size = 0x20000000,
	.console = { &uart_ns16550, 0x01c28000, 32 }, /* UART0 */
	.gic = {
		.dist = 0x01c81000,
		.cpu = 0x01c82000,
		.hyp = 0x01c84000,
		.vcpu = 0x01c86000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.spi_first = 52, /* SPIs 20 to 24 are reserved */
	.spi_count = 5,
	.store_base = 0x41000000,
	.store_size = 0x0f000000,
	.counter_hz = 24000000,
	.cores = { .count = 4, .start = CORES_PSCI },
	.semihosting = true,
};
