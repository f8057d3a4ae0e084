/* SPDX-License-Identifier: Apache-2.0 */
/* Raspberry Pi 4 B, low-peripheral mode: addresses from bcm2711-rpi-4-b.dtb, registers from the
 * BCM2711 ARM Peripherals manual; registers of the power manager from Linux' bcm2835_wdt. */
#include "boards/board.h"

#include "arch/mmio.h"

#define GPIO 0xfe200000u
#define GPFSEL1 0x04u
#define GPIO14_SHIFT 12
#define GPIO15_SHIFT 15
#define FSEL_MASK 7u
#define FSEL_ALT0 4u /* GPIO 14 and 15: PL011 */
#define FSEL_ALT5 2u /* GPIO 14 and 15: mini UART */

#define AUX 0xfe215000u
#define AUX_ENABLES 0x04u
#define AUX_ENABLES_MINI_UART (1u << 0)

#define UART_HZ 48000000u /* value of the firmware's init_uart_clock */
#define BAUD 115200u

#define PM 0xfe100000u
#define PM_RSTC 0x1cu
#define PM_WDOG 0x24u
#define PM_PASSWORD 0x5a000000u
#define PM_RSTC_WRCFG 0x30u
#define PM_RSTC_FULL_RESET 0x20u
#define PM_WDOG_TICKS 10u /* a tick has 16 us */

static const struct uart_port mini_uart = { &uart_bcm2835_aux, AUX + 0x40, 125 };
static const struct uart_port pl011 = { &uart_pl011, 0xfe201000, 153 };

static uint32_t pin_function(unsigned shift)
{
	return mmio_read32(GPIO + GPFSEL1) >> shift & FSEL_MASK;
}

static void take_pins(void)
{
	uint32_t others = mmio_read32(GPIO + GPFSEL1) &
			  ~(FSEL_MASK << GPIO14_SHIFT | FSEL_MASK << GPIO15_SHIFT);

	mmio_write32(GPIO + GPFSEL1,
		     others | FSEL_ALT0 << GPIO14_SHIFT | FSEL_ALT0 << GPIO15_SHIFT);
}

/* Use the firmware's console, the UART at GPIO 14, at its rate. If there is none (enable_uart=0),
 * set up the PL011. */
static const struct uart_port *console_in_use(void)
{
	if (pin_function(GPIO14_SHIFT) == FSEL_ALT5 &&
	    mmio_read32(AUX + AUX_ENABLES) & AUX_ENABLES_MINI_UART)
		return &mini_uart;
	if (pin_function(GPIO14_SHIFT) != FSEL_ALT0) {
		take_pins();
		pl011_start(pl011.base, UART_HZ, BAUD);
	}
	return &pl011;
}

/* A full reset by the watchdog: the firmware starts again. */
static void reset(void)
{
	uint32_t kept = mmio_read32(PM + PM_RSTC) & ~PM_RSTC_WRCFG;

	mmio_write32(PM + PM_WDOG, PM_PASSWORD | PM_WDOG_TICKS);
	mmio_write32(PM + PM_RSTC, PM_PASSWORD | kept | PM_RSTC_FULL_RESET);
}

const struct board board = {
	.name = "rpi4",
	.guest_base = GUEST_BASE,
	.guest_size = 0x40000000, /* a board with 1 GiB lacks this RAM */
	.gic = {
		.dist = 0xff841000,
		.cpu = 0xff842000,
		.hyp = 0xff844000,
		.vcpu = 0xff846000,
	},
	.hyp_timer_intid = 26,
	.virt_timer_intid = 27,
	.phys_timer_intid = 30,
	.maintenance_intid = 25,
	/* system timer compare 1 (compare 3 is 99); the firmware uses the others */
	.spi_first = 97,
	.spi_count = 1,
	/* The store lies below 948 MiB, away from firmware and U-Boot at the ends of RAM. */
	.store_base = 0x10000000,
	.store_size = 0x20000000,
	.counter_hz = 54000000,
	/* Page 0 belongs to the firmware: the cores wait in it. */
	.cores = { .count = 4, .start = CORES_SPIN_TABLE, .release = 0xd8 },
	.reset_device = { PM, 0x1000 },
	.console_in_use = console_in_use,
	.reset = reset,
};
