/* SPDX-License-Identifier: Apache-2.0 */
/* gem5's VExpress_GEM5_V1: addresses from its src/dev/arm/RealView.py. */
#include "boards/board.h"
const struct board board = {
	.gem5_armv7 = true,
	.name = "gem5-a15",
	.guest_base = 0xc0000000,
	.guest_size = 0x40000000,
	.console = { &uart_pl011, 0x1c090000, 37 },
	.gic = {
		.dist = 0x2c001000,
		.cpu = 0x2c002000,
		.hyp = 0x2c004000,
		.vcpu = 0x2c006000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.pmu_intid = 23,
	.spi_first = 64, /* of the 59 to 73 and 76 to 94 that have no device */
	.spi_count = 8,
	.store_base = 0x90000000,
	.store_size = 0x30000000,
	.gem5 = true,
	.semihosting = true,
};
