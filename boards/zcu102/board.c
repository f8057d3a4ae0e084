/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ZCU102: addresses from zynqmp-zcu102-rev1.0.dtb, registers from UG1087. The GIC-400 has a block
 * of 64 KiB for each 4 KiB page, which repeats 16 times in the block (UG1085). GICC and GICV begin
 * at the last repeat of their first page, so that their second page, which has DIR, follows.
 */
#include "boards/board.h"

#include "arch/mmio.h"

#define GICC 0xf9020000u
#define GICV 0xf9060000u
#define LAST_REPEAT 0xf000u

#define CRL_APB 0xff5e0000u
#define RESET_CTRL 0x218u
#define RESET_CTRL_SOFT_RESET (1u << 4)

/* CRL_APB.RESET_CTRL: the chip's soft reset (UG1087). */
static void reset(void)
{
	mmio_write32(CRL_APB + RESET_CTRL,
		     mmio_read32(CRL_APB + RESET_CTRL) | RESET_CTRL_SOFT_RESET);
}

const struct board board = {
	.name = "zcu102",
	.guest_base = GUEST_BASE,
	.guest_size = 0x40000000,
	.console = { &uart_cadence, 0xff000000, 53 }, /* UART0 */
	.gic = {
		.dist = 0xf9010000,
		.cpu = GICC + LAST_REPEAT,
		.hyp = 0xf9040000,
		.vcpu = GICV + LAST_REPEAT,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	/* PL_PS_Group0 0 to 5 (UG1085): no device drives them without a design in the programmable
	 * logic. INTID 127 is left out, because mmio_write needs the last INTID of a virtual
	 * distributor without a line. */
	.spi_first = 121,
	.spi_count = 6,
	.store_base = 0x10000000,
	.store_size = 0x20000000,
	/* UG1085, Physical Counter; FSBL's divider makes 99990005 of it. */
	.counter_hz = 100000000,
	.cores = { .count = 4, .start = CORES_PSCI },
	.reset_device = { CRL_APB, 0x1000 },
	.semihosting = true,
	.reset = reset,
};
