/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU `virt` with a GICv2: addresses from its device tree (-M virt,dumpdtb=). */
#include "boards/board.h"

const struct board board = {
	.name = "virt-a15",
	.guest_base = 0x80000000,
	.guest_size = 0x40000000,
	.console = { &uart_pl011, 0x09000000, 33 },
	.gic = {
		.dist = 0x08000000,
		.cpu = 0x08010000,
		.hyp = 0x08030000,
		.vcpu = 0x08040000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.pmu_intid = 23,
	.spi_first = 80, /* virt wires nothing there */
	.spi_count = 32,
	.store_base = 0x48000000,
	.store_size = 0x38000000,
	.cores = { .count = 4, .start = CORES_PSCI },
	.semihosting = true,
};
