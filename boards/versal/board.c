/* SPDX-License-Identifier: Apache-2.0 */
/* Versal (VCK190, VMK180): addresses from the device tree of QEMU's xlnx-versal-virt, free
 * interrupts from AM011. */
#include "boards/board.h"

const struct board board = {
	.name = "versal",
	.guest_base = GUEST_BASE,
	.guest_size = 0x40000000,
	.console = { &uart_pl011, 0xff000000, 50 }, /* UART0 */
	.gic = { .dist = 0xf9000000, .redist = 0xf9080000 },
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	.pmu_intid = 23,
	/* pl_ps_irq 0 to 7: no device drives them without a design in the programmable logic. SPI
	 * 84 is pl_ps_irq 0 (get_psv_interrupt_id of AMD's device-tree generator). */
	.spi_first = 116,
	.spi_count = 8,
	.store_base = 0x10000000,
	.store_size = 0x30000000,
	.counter_hz = 100000000, /* Trusted Firmware-A, versal_def.h: VERSAL_CPU_CLOCK of silicon */
	.cores = { .count = 2, .start = CORES_PSCI },
	.semihosting = true,
};
