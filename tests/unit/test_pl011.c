/* SPDX-License-Identifier: Apache-2.0 */
/* A PL011 that nobody has set up: the registers, and the order they are written in. */
/* LINK: drivers/uart/pl011.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/uart/uart.h"
#include "tests/unit/fake/fake.h"

#define BASE 0x9000000u
#define FR 0x18u
#define IBRD 0x24u
#define FBRD 0x28u
#define LCR_H 0x2cu
#define CR 0x30u
#define FR_BUSY (1u << 3)
#define FR_TXFF (1u << 5)

static uint32_t registers[0x40 / 4];
static unsigned busy_reads, full_reads; /* how often FR still says so */
static uint32_t taken_ibrd, taken_fbrd; /* what a write of LCR_H took over */
static unsigned sent;

static uint64_t read(uintptr_t address, unsigned size)
{
	assert_int_equal(size, 4);
	assert_in_range(address, BASE, BASE + sizeof(registers) - 4);
	if (address != BASE + FR)
		return registers[(address - BASE) / 4];
	if (busy_reads) {
		busy_reads--;
		return FR_BUSY;
	}
	if (full_reads) {
		full_reads--;
		return FR_TXFF;
	}
	return 0;
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
	if (offset == IBRD || offset == FBRD || offset == LCR_H) {
		assert_false(registers[CR / 4] & 1);
		assert_int_equal(busy_reads, 0);
	}
	if (offset == LCR_H) {
		taken_ibrd = registers[IBRD / 4];
		taken_fbrd = registers[FBRD / 4];
	}
	registers[offset / 4] = (uint32_t)value;
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	fake_mmio.read = read;
	fake_mmio.write = write;
	memset(registers, 0, sizeof(registers));
	busy_reads = full_reads = sent = 0;
	taken_ibrd = taken_fbrd = 0;
	return 0;
}

/* The manual's own example: 4 MHz and 230400 is 1 and 5 64ths; the Raspberry Pi 4's is 26.0417. */
static void the_rate_is_taken_over(void **state)
{
	(void)state;
	pl011_start(BASE, 4000000, 230400);
	assert_int_equal(taken_ibrd, 1);
	assert_int_equal(taken_fbrd, 5);
	pl011_start(BASE, 48000000, 115200);
	assert_int_equal(taken_ibrd, 26);
	assert_int_equal(taken_fbrd, 3);
}

static void it_is_set_up_off_and_idle(void **state)
{
	(void)state;
	registers[CR / 4] = 0x301;
	busy_reads = 3;
	pl011_start(BASE, 48000000, 115200);
	assert_int_equal(busy_reads, 0);
	assert_int_equal(registers[LCR_H / 4], 0x70); /* 8 bits, no parity, FIFOs */
	assert_int_equal(registers[CR / 4], 0x301);
}

static void what_a_boot_loader_set_up_stays(void **state)
{
	(void)state;
	registers[CR / 4] = 0xc200; /* flow control */
	registers[LCR_H / 4] = 0x70;
	uart_pl011.init(BASE);
	assert_int_equal(registers[CR / 4], 0xc301);
	assert_int_equal(registers[LCR_H / 4], 0x70);
	assert_int_equal(taken_ibrd, 0);
}

static void a_byte_waits_for_room(void **state)
{
	(void)state;
	full_reads = 2;
	uart_pl011.putc(BASE, 'x');
	assert_int_equal(sent, 1);
	assert_int_equal(registers[0], 'x');
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_rate_is_taken_over),
		TEST(it_is_set_up_off_and_idle),
		TEST(what_a_boot_loader_set_up_stays),
		TEST(a_byte_waits_for_room),
	};

	return cmocka_run_group_tests_name("pl011", tests, NULL, NULL);
}
