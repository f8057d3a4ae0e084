/* SPDX-License-Identifier: Apache-2.0 */
/* Arndale: addresses from exynos5250-arndale.dtb. CBAR is wrong on this chip, so the GIC's stand
 * here. */
#include "boards/board.h"
#include "drivers/timer/exynos_mct.h"

#define MCT 0x101c0000u
#define PMU_SWRESET 0x10040400u
#define SYSRAM_RELEASE 0x02020000u /* the word that U-Boot's pen for CPU 1 looks at */

static bool counter_start(void)
{
	return exynos_mct_start(MCT);
}

const struct board board = {
	.name = "arndale",
	.guest_base = 0x40000000,
	.guest_size = 0x40000000,
	.console = { &uart_exynos4210, 0x12c20000 }, /* UART2 */
	.gic = {
		.dist = 0x10481000,
		.cpu = 0x10482000,
		.hyp = 0x10484000,
		.vcpu = 0x10486000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.maintenance_intid = 25,
	.spi_first = 68, /* PWM timers 0 to 4, which nobody starts */
	.spi_count = 5,
	.counter_hz = 24000000,
	.counter_start = counter_start,
};
