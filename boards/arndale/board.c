/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arndale: addresses from exynos5250-arndale.dtb, including the GIC's, because CBAR is wrong on
 * this chip. RAM, 2 GiB:
 *   0x40000000  the guest, 1 GiB, so that one block of stage 2 can map it
 *   0x82000000  the hypervisor
 *   0xb9000000  U-Boot, its pen for CPU 1 and its monitor, up to the end: never touched
 */
#include "boards/board.h"
#include "arch/barrier.h"
#include "arch/mmio.h"
#include "arch/sysreg.h"
#include "drivers/timer/timer.h"

#define GUEST_SIZE 0x40000000u
#define RAM_KEPT 0xb9000000u
#define MCT 0x101c0000u
#define PMU 0x10040000u
#define PMU_SWRESET (PMU + 0x400u)
#define SYSRAM 0x02020000u /* U-Boot's pen for CPU 1 polls its first word */

#define ACTLR_SMP (1u << 6) /* Cortex-A15 (DDI 0438 4.3.28) */

_Static_assert(GUEST_BASE % (1u << 30) == 0 && GUEST_SIZE >= 1u << 30, "stage2=1G has a block");
_Static_assert(GUEST_BASE + GUEST_SIZE <= RAM_KEPT, "U-Boot's part of RAM is not the guest's");

static bool coherency_start(void)
{
	write_actlr_el1(read_actlr_el1() | ACTLR_SMP);
	isb();
	return read_actlr_el1() & ACTLR_SMP;
}

static bool counter_start(void)
{
	return exynos_mct_start(MCT);
}

static void reset(void)
{
	mmio_write32(PMU_SWRESET, 1);
}

const struct board board = {
	.name = "arndale",
	.guest_base = GUEST_BASE,
	.guest_size = GUEST_SIZE,
	.console = { &uart_exynos4210, 0x12c20000, 85 }, /* UART2 */
	.gic = {
		.dist = 0x10481000,
		.cpu = 0x10482000,
		.hyp = 0x10484000,
		.vcpu = 0x10486000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.spi_first = 68, /* PWM timers 0 to 4, never started */
	.spi_count = 5,
	.counter_hz = 24000000,
	.cores = { .count = 2, .start = CORES_PEN, .release = SYSRAM },
	.reset_device = { PMU, 0x1000 },
	.coherency_start = coherency_start,
	.counter_start = counter_start,
	.reset = reset,
};
