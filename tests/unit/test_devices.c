/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the drivers of UARTs and of the Exynos multi-core timer: each call makes its reads and
 * writes in order, and no others. Sources: PL011: DDI 0183 3.3. Exynos 5 Dual user's manual: UCON,
 * UFSTAT, URXH, UINTP, UINTM. Mini UART: BCM2711 ARM Peripherals 2.2. Timer: the device tree
 * binding samsung,exynos4210-mct.
 */
/* LINK: drivers/uart/uart.c drivers/uart/pl011.c drivers/uart/exynos4210.c */
/* LINK: drivers/uart/bcm2835_aux.c drivers/timer/exynos_mct.c boards/arndale/board.c */
#include "arch/sysreg.h"
#include "boards/board.h"
#include "drivers/timer/timer.h"
#include "drivers/uart/pl011_regs.h"
#include "drivers/uart/uart.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define PL011 0x9000000u
#define EXYNOS 0x12c20000u
#define UCON (EXYNOS + 0x04u)
#define UFSTAT (EXYNOS + 0x18u)
#define UTXH (EXYNOS + 0x20u)
#define URXH (EXYNOS + 0x24u)
#define UINTP (EXYNOS + 0x30u)
#define UINTM (EXYNOS + 0x38u)
#define AUX 0xfe215040u
#define AUX_IO AUX
#define AUX_IER (AUX + 0x04u)
#define AUX_LSR (AUX + 0x14u)
#define AUX_CNTL (AUX + 0x20u)
#define MCT 0x101c0000u /* Arndale's */
#define G_TCON (MCT + 0x240u)
#define G_WSTAT (MCT + 0x24cu)
#define ARNDALE_RESET 0x10040400u
#define ACTLR_SMP (1u << 6)

static const struct uart_port pl011 = { &uart_pl011, PL011, 0 };
static const struct uart_port exynos = { &uart_exynos4210, EXYNOS, 0 };
static const struct uart_port aux = { &uart_bcm2835_aux, AUX, 0 };

/* --- the script of a call --- */

struct access {
	bool writes;
	unsigned times;
	uintptr_t address;
	uint32_t value;
};
#define READS(times, address, value)                                                               \
	{                                                                                          \
		false, times, address, value                                                       \
	}
#define READ(address, value) READS(1, address, value)
#define WRITE(address, value)                                                                      \
	{                                                                                          \
		true, 1, address, value                                                            \
	}

static const struct access *next;
static unsigned left; /* repetitions that are left of the next access */

static uint32_t follow(bool writes, uintptr_t address, unsigned size)
{
	uint32_t value = next->value;

	assert_int_equal(size, 4);
	if (!left || next->writes != writes || next->address != address)
		fail_msg("%s of %#lx is not in the script", writes ? "a write" : "a read",
			 (unsigned long)address);
	if (--left == 0)
		left = (++next)->times;
	return value;
}

static uint64_t read(uintptr_t address, unsigned size)
{
	return follow(false, address, size);
}

static void write(uintptr_t address, unsigned size, uint64_t value)
{
	uint32_t expected = follow(true, address, size);

	if (value != expected)
		fail_msg("%#lx is written with %#lx, not with %#x", (unsigned long)address,
			 (unsigned long)value, expected);
}

/* --- the calls --- */

static int init(const struct uart_port *port, unsigned argument)
{
	uart_init(port);
	return 0;
}

static int put(const struct uart_port *port, unsigned byte)
{
	uart_putc(port, (char)byte);
	return 0;
}

static int flush(const struct uart_port *port, unsigned argument)
{
	uart_flush(port);
	return 0;
}

static int get(const struct uart_port *port, unsigned argument)
{
	return uart_get(port);
}

static int listen(const struct uart_port *port, unsigned on)
{
	uart_listen(port, on);
	return 0;
}

static int start_pl011(const struct uart_port *port, unsigned clock_hz)
{
	pl011_start(port->base, clock_hz, clock_hz == 4000000 ? 230400 : 115200);
	return 0;
}

static int start_mct(const struct uart_port *port, unsigned by_board)
{
	return by_board ? board.counter_start() : exynos_mct_start(MCT);
}

static int reset_arndale(const struct uart_port *port, unsigned argument)
{
	board.reset();
	return 0;
}

#define ROW(name, call, port, argument, result, ...)                                               \
	{                                                                                          \
		name, call, port, argument, result,                                                \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static const struct {
	const char *name;
	int (*call)(const struct uart_port *port, unsigned argument);
	const struct uart_port *port;
	unsigned argument;
	int result;
	struct access script[10];
} rows[] = {
	/* 3.3.8: a UART is set up while off and idle. The Raspberry Pi 4's divisor is 26.0417. */
	ROW("a PL011 is set up off and idle", start_pl011, &pl011, 48000000, 0,
	    WRITE(PL011 + UARTCR, 0), READS(3, PL011 + UARTFR, UARTFR_BUSY),
	    READ(PL011 + UARTFR, 0), WRITE(PL011 + UARTLCR_H, 0), WRITE(PL011 + UARTIMSC, 0),
	    WRITE(PL011 + UARTIBRD, 26), WRITE(PL011 + UARTFBRD, 3), WRITE(PL011 + UARTLCR_H, 0x70),
	    WRITE(PL011 + UARTCR, 0x301)),
	ROW("the manual's example of a rate", start_pl011, &pl011, 4000000, 0,
	    WRITE(PL011 + UARTCR, 0), READ(PL011 + UARTFR, 0), WRITE(PL011 + UARTLCR_H, 0),
	    WRITE(PL011 + UARTIMSC, 0), WRITE(PL011 + UARTIBRD, 1), WRITE(PL011 + UARTFBRD, 5),
	    WRITE(PL011 + UARTLCR_H, 0x70), WRITE(PL011 + UARTCR, 0x301)),
	ROW("flow control of a boot loader stays", init, &pl011, 0, 0, READ(PL011 + UARTCR, 0xc200),
	    WRITE(PL011 + UARTCR, 0xc301)),
	ROW("a PL011's byte waits for room", put, &pl011, 'x', 0,
	    READS(2, PL011 + UARTFR, UARTFR_TXFF), READ(PL011 + UARTFR, 0),
	    WRITE(PL011 + UARTDR, 'x')),
	ROW("a PL011 is flushed once its shifter is empty", flush, &pl011, 0, 0,
	    READS(2, PL011 + UARTFR, UARTFR_BUSY), READ(PL011 + UARTFR, UARTFR_RXFE)),
	ROW("an empty PL011 is not read", get, &pl011, 0, -1, READ(PL011 + UARTFR, UARTFR_RXFE)),
	ROW("a PL011's byte", get, &pl011, 0, 0xff, READ(PL011 + UARTFR, 0),
	    READ(PL011 + UARTDR, 0xff)),
	ROW("overrun, break, parity and framing are no part of it", get, &pl011, 0, 'a',
	    READ(PL011 + UARTFR, 0), READ(PL011 + UARTDR, 0xf00 | 'a')),
	ROW("a PL011 listens by two interrupts and its receiver", listen, &pl011, true, 0,
	    READ(PL011 + UARTCR, 0xc101), WRITE(PL011 + UARTCR, 0xc301),
	    WRITE(PL011 + UARTIMSC, 0x50)),
	ROW("a PL011 listens no more", listen, &pl011, false, 0, WRITE(PL011 + UARTIMSC, 0)),

	ROW("Exynos: a byte waits for room", put, &exynos, 'x', 0, READS(2, UFSTAT, 1 << 24),
	    READ(UFSTAT, 0), WRITE(UTXH, 'x')),
	ROW("Exynos: the interrupt of a FIFO ends once the FIFO is empty", get, &exynos, 0, -1,
	    READ(UFSTAT, 0), WRITE(UINTP, 1), READ(UFSTAT, 0)),
	ROW("Exynos: a byte that comes as the interrupt is ended", get, &exynos, 0, 'b',
	    READ(UFSTAT, 0), WRITE(UINTP, 1), READ(UFSTAT, 1), READ(URXH, 'b')),
	ROW("Exynos: a byte", get, &exynos, 0, 0xff, READ(UFSTAT, 2), READ(URXH, 0xff)),
	ROW("Exynos: the count of a full FIFO is 0", get, &exynos, 0, 'a', READ(UFSTAT, 1 << 8),
	    READ(URXH, 'a')),
	ROW("Exynos: listens at the level, and after a time without more", listen, &exynos, true, 0,
	    READ(UCON, 0x5), WRITE(UCON, 0x185), WRITE(UINTM, 0xe)),
	ROW("Exynos: listens no more", listen, &exynos, false, 0, WRITE(UINTM, 0xf)),

	ROW("mini UART: an overrun is no byte", get, &aux, 0, -1, READ(AUX_LSR, 0x62)),
	ROW("mini UART: bits 31:8 are reserved", get, &aux, 0, 0xff, READ(AUX_LSR, 0x61),
	    READ(AUX_IO, 0x5a5a5aff)),
	ROW("mini UART: a byte comes while one is sent", get, &aux, 0, 'a', READ(AUX_LSR, 0x01),
	    READ(AUX_IO, 'a')),
	ROW("mini UART: a byte waits for room", put, &aux, 'x', 0, READS(2, AUX_LSR, 0x1),
	    READ(AUX_LSR, 0x20), WRITE(AUX_IO, 'x')),
	ROW("mini UART: bit 2 beside bit 0, or no interrupt comes", listen, &aux, true, 0,
	    READ(AUX_CNTL, 0x2), WRITE(AUX_CNTL, 0x3), WRITE(AUX_IER, 0x5)),
	ROW("mini UART: listens no more", listen, &aux, false, 0, WRITE(AUX_IER, 0)),

	/* The comparator's bit belongs to another user. No driver may write the counter's value. */
	ROW("the timer is started, and the write acknowledged", start_mct, NULL, false, true,
	    READ(G_TCON, 0x1), WRITE(G_TCON, 0x101), READS(3, G_WSTAT, 0), READ(G_WSTAT, 1 << 16),
	    WRITE(G_WSTAT, 1 << 16)),
	ROW("a timer that runs is not written", start_mct, NULL, false, true, READ(G_TCON, 0x100)),
	ROW("a write that does not arrive is an error", start_mct, NULL, false, false,
	    READ(G_TCON, 0), WRITE(G_TCON, 0x100), READS(1000, G_WSTAT, 0)),
	ROW("Arndale starts its own timer", start_mct, NULL, true, true, READ(G_TCON, 0),
	    WRITE(G_TCON, 0x100), READ(G_WSTAT, 1 << 16), WRITE(G_WSTAT, 1 << 16)),
	ROW("Arndale reports a timer that does not start", start_mct, NULL, true, false,
	    READ(G_TCON, 0), WRITE(G_TCON, 0x100), READS(1000, G_WSTAT, 0)),
	ROW("Arndale resets by its power unit", reset_arndale, NULL, 0, 0, WRITE(ARNDALE_RESET, 1)),
};

EACH_TEST(fake_reset, NULL);

TEST(each_call_makes_its_accesses_and_no_other)
{
	fake_mmio.read = read;
	fake_mmio.write = write;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		int result;

		next = rows[i].script;
		left = next->times;
		print_message("%s\n", rows[i].name);
		result = rows[i].call(rows[i].port, rows[i].argument);
		assert_int_equal(result, rows[i].result);
		assert_int_equal(left, 0);
	}
}

static bool not_written(const uint64_t *variable, uint64_t value)
{
	return variable == &fake_actlr_el1;
}

TEST(arndale_sets_smp_and_looks_at_it)
{
	fake_actlr_el1 = 1;
	assert_true(board.coherency_start());
	assert_int_equal(fake_actlr_el1, 1 | ACTLR_SMP);
	fake_actlr_el1 = 0;
	fake_sysregs.write = not_written;
	assert_false(board.coherency_start());
}
