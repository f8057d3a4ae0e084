/* SPDX-License-Identifier: Apache-2.0 */
/* V2P-CA15 (DUI 0604): addresses from vexpress-v2p-ca15-tc1.dtb. */
#include "boards/board.h"

#define SYS_FLAGS 0x1c010030u /* 32 flags: reset clears them, and a write sets bits */

const struct board board = {
	.name = "vexpress-a15",
	.guest_base = GUEST_BASE,
	.guest_size = 0x40000000,
	.console = { &uart_pl011, 0x1c090000, 37 }, /* UART0 */
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
	.spi_first = 64, /* INTIDs of the FPGA tile's SPIs 32 to 74 without a device */
	.spi_count = 8,
	.store_base = 0x90000000, /* QEMU puts its device tree below this address */
	.store_size = 0x30000000,
	.cores = { .count = 2, .start = CORES_PEN, .release = SYS_FLAGS },
	.semihosting = true,
	.smc_needs_secure = true,
};
