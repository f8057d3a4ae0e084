/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the drivers of Exynos parts on a chip that has them (Exynos 4210, QEMU's smdkc210): what
 * the console says goes out by the UART driver, and is about the timer driver. */
#include "arch/mmio.h"
#include "arch/semihosting.h"
#include "drivers/timer/timer.h"
#include "drivers/uart/uart.h"

#define MCT 0x10050000u
#define G_CNT_L 0x100u
#define G_TCON 0x240u
#define G_WSTAT 0x24cu

static const struct uart_port uart = { &uart_exynos4210, 0x13800000, 0 };

void drivers_main(void);

static void say(const char *word, uint32_t value)
{
	while (*word)
		uart_putc(&uart, *word++);
	for (int shift = 28; shift >= 0; shift -= 4)
		uart_putc(&uart, "0123456789abcdef"[value >> shift & 0xf]);
	uart_putc(&uart, '\n');
}

/* The counter's gain while this core waits for it. */
static uint32_t gained(void)
{
	uint32_t first = mmio_read32(MCT + G_CNT_L);

	for (unsigned i = 0; i < 100000; i++)
		if (mmio_read32(MCT + G_CNT_L) != first)
			return mmio_read32(MCT + G_CNT_L) - first;
	return 0;
}

void drivers_main(void)
{
	uint32_t count;

	uart_init(&uart);
	say("control at reset ", mmio_read32(MCT + G_TCON));
	say("stands still ", gained() == 0);
	say("first start ", exynos_mct_start(MCT));
	say("control ", mmio_read32(MCT + G_TCON));
	say("unacknowledged ", mmio_read32(MCT + G_WSTAT));
	say("moves ", gained() != 0);
	count = mmio_read32(MCT + G_CNT_L);
	say("second start ", exynos_mct_start(MCT));
	say("control ", mmio_read32(MCT + G_TCON));
	say("goes on ", mmio_read32(MCT + G_CNT_L) - count < 0x80000000u);
	say("still moves ", gained() != 0);
	uart_flush(&uart);
	semihosting_exit(0);
}
