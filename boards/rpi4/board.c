/* SPDX-License-Identifier: Apache-2.0 */
/* Raspberry Pi 4 B, low-peripheral mode: addresses from bcm2711-rpi-4-b.dtb. */
#include "boards/board.h"

const struct board board = {
	.name = "rpi4",
	.guest_base = 0x40000000,
	.guest_size = 0x40000000,
	.console = { &uart_bcm2835_aux, 0xfe215040 },
	.gic = {
		.dist = 0xff841000,
		.cpu = 0xff842000,
		.hyp = 0xff844000,
		.vcpu = 0xff846000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.maintenance_intid = 25,
	.spi_first = 97, /* system timer compare 1; 3 is 99: the others are the firmware's */
	.spi_count = 1,
};
