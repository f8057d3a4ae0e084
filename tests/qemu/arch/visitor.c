/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unmodified guest for any load address. It prints the state that it was started with, then
 * executes the command of each letter of SCRIPT, and then of each letter that is typed:
 *   i  four characters at INITRD   p  a line that does not end
 *   x  the line EXIT: STATUS=5     q  SYSTEM_OFF
 */
#include "arch/mmio.h"
#include "drivers/uart/pl011_regs.h"
#include "guest_core.h"
#include "vcpus.h"

static void print_line(uint32_t value)
{
	print_hex(value, 8);
	print("\r\n");
}

static uint8_t typed(void)
{
	while (mmio_read32(UART + UARTFR) & UARTFR_RXFE)
		;
	uint8_t letter = (uint8_t)mmio_read32(UART + UARTDR);
	mmio_write32(UART, letter);
	return letter;
}

static void command(uint8_t letter)
{
	switch (letter) {
	case 'i':
		for (unsigned i = 0; i < 4; i++)
			mmio_write32(UART, mmio_read8(INITRD + i));
		break;
	case 'p':
		print("=> ");
		break;
	case 'x':
		print("EXIT: STATUS=5\r\n");
		break;
	case 'q':
		psci(SYSTEM_OFF, 0, 0, 0);
	}
}

void first_main(uintptr_t a0, uintptr_t a1, uintptr_t a2)
{
	(void)a1;
	print("hello\r\n");
	print_line(entry_state());
	print_line(__builtin_bswap32(mmio_read32(sizeof(uintptr_t) == 8 ? a0 : a2)));
	for (const char *letter = SCRIPT; *letter; letter++)
		command((uint8_t)*letter);
	for (;;)
		command(typed());
}
