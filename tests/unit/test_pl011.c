/* SPDX-License-Identifier: Apache-2.0 */
/* A PL011 that no loader has set up: the registers, and the order of their writes. Its
 * input (DDI 0183 3.3.1, 3.3.3, 3.3.8, 3.3.10). */
/* LINK: drivers/uart/uart.c drivers/uart/pl011.c */
#include <string.h>

#include "drivers/uart/pl011_regs.h"
#include "drivers/uart/uart.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BASE 0x9000000u

static const struct uart_port port = { &uart_pl011, BASE, 0 };
static uint32_t registers[0x40 / 4];
static unsigned busy_reads, full_reads; /* how often FR still says so */
static uint32_t taken_ibrd, taken_fbrd; /* what a write of LCR_H took over */
static unsigned sent;
static uint16_t received[4]; /* with what was wrong with it in bits 11:8 */
static unsigned first, count;

static uint64_t read(uintptr_t address, unsigned size)
{
	assert_int_equal(size, 4);
	assert_in_range(address, BASE, BASE + sizeof(registers) - 4);
	if (address == BASE) {
		assert_true(first < count);
		return received[first++];
	}
	if (address != BASE + UARTFR)
		return registers[(address - BASE) / 4];
	if (busy_reads) {
		busy_reads--;
		return UARTFR_BUSY;
	}
	if (full_reads) {
		full_reads--;
		return UARTFR_TXFF;
	}
	return first == count ? UARTFR_RXFE : 0;
}

static void write(uintptr_t address, unsigned size, uint64_t value)
{
	uint32_t offset = (uint32_t)(address - BASE);

	assert_int_equal(size, 4);
	assert_in_range(address, BASE, BASE + sizeof(registers) - 4);
	if (offset == 0) {
		assert_int_equal(full_reads, 0);
		sent++;
	}
	/* 3.3.8: not while it is enabled, and not while it sends */
	if (offset == UARTIBRD || offset == UARTFBRD || offset == UARTLCR_H) {
		assert_false(registers[UARTCR / 4] & 1);
		assert_int_equal(busy_reads, 0);
	}
	if (offset == UARTLCR_H) {
		taken_ibrd = registers[UARTIBRD / 4];
		taken_fbrd = registers[UARTFBRD / 4];
	}
	registers[offset / 4] = (uint32_t)value;
}

static void setup(void)
{
	fake_reset();
	fake_mmio.read = read;
	fake_mmio.write = write;
	memset(registers, 0, sizeof(registers));
	busy_reads = full_reads = sent = 0;
	first = count = 0;
	taken_ibrd = taken_fbrd = 0;
}

EACH_TEST(setup, NULL);

/* The manual's own example: 4 MHz and 230400 is 1 and 5 64ths; the Raspberry Pi 4's is 26.0417. */
TEST(the_rate_is_taken_over)
{
	pl011_start(BASE, 4000000, 230400);
	assert_int_equal(taken_ibrd, 1);
	assert_int_equal(taken_fbrd, 5);
	pl011_start(BASE, 48000000, 115200);
	assert_int_equal(taken_ibrd, 26);
	assert_int_equal(taken_fbrd, 3);
}

TEST(it_is_set_up_off_and_idle)
{
	registers[UARTCR / 4] = 0x301;
	busy_reads = 3;
	pl011_start(BASE, 48000000, 115200);
	assert_int_equal(busy_reads, 0);
	assert_int_equal(registers[UARTLCR_H / 4], 0x70); /* 8 bits, no parity, FIFOs */
	assert_int_equal(registers[UARTCR / 4], 0x301);
}

TEST(what_a_boot_loader_set_up_stays)
{
	registers[UARTCR / 4] = 0xc200; /* flow control */
	registers[UARTLCR_H / 4] = 0x70;
	uart_init(&port);
	assert_int_equal(registers[UARTCR / 4], 0xc301);
	assert_int_equal(registers[UARTLCR_H / 4], 0x70);
	assert_int_equal(taken_ibrd, 0);
}

TEST(a_byte_waits_for_room)
{
	full_reads = 2;
	uart_putc(&port, 'x');
	assert_int_equal(sent, 1);
	assert_int_equal(registers[0], 'x');
}

static void receive(uint16_t byte)
{
	received[count++] = byte;
}

TEST(nothing_received_is_not_read)
{
	assert_int_equal(uart_get(&port), -1);
}

TEST(bytes_come_in_their_order)
{
	receive('a');
	receive(0xff);
	receive(0);
	assert_int_equal(uart_get(&port), 'a');
	assert_int_equal(uart_get(&port), 0xff);
	assert_int_equal(uart_get(&port), 0);
	assert_int_equal(uart_get(&port), -1);
}

/* Overrun, break, parity, framing: bits 11 to 8. */
TEST(what_was_wrong_with_a_byte_is_no_part_of_it)
{
	receive(0xf00 | 'a');
	assert_int_equal(uart_get(&port), 'a');
}

TEST(to_listen_is_two_interrupts_and_the_receiver)
{
	registers[UARTCR / 4] = 0xc101;
	uart_listen(&port, true);
	assert_int_equal(registers[UARTIMSC / 4], 0x50); /* RXIM, RTIM */
	assert_int_equal(registers[UARTCR / 4], 0xc301); /* RXE */
	uart_listen(&port, false);
	assert_int_equal(registers[UARTIMSC / 4], 0);
	assert_int_equal(registers[UARTCR / 4], 0xc301);
}
