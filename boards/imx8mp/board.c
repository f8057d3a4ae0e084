/* SPDX-License-Identifier: Apache-2.0 */
/* i.MX 8M Plus EVK: addresses from imx8mp-evk.dtb. */
#include "boards/board.h"

const struct board board = {
	.name = "imx8mp",
	.guest_base = GUEST_BASE,
	.guest_size = 0x40000000,
	.console = { &uart_imx, 0x30890000, 59 }, /* UART2 */
	.gic = { .dist = 0x38800000, .redist = 0x38880000 },
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.pmu_intid = 23,
	.spi_first = 113, /* PWM 1 to 4, which never start */
	.spi_count = 4,
	.store_base = 0x44000000,
	.store_size = 0x20000000,
	.counter_hz = 8000000,
	.cores = { .count = 4, .start = CORES_PSCI },
	.semihosting = true,
};
