/* SPDX-License-Identifier: Apache-2.0 */
/* Receiving by the UART of Exynos 4 and 5 (Exynos 5 Dual user's manual, UART: UCON, UFSTAT, URXH,
 * UINTP, UINTM), on a part that has these registers alone. */
/* LINK: drivers/uart/uart.c drivers/uart/exynos4210.c */
#include <string.h>

#include "drivers/uart/uart.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BASE 0x12c20000u
#define UCON 0x04u
#define UFSTAT 0x18u
#define URXH 0x24u
#define UINTP 0x30u
#define UINTM 0x38u

#define FIFO_SIZE 64u

static const struct uart_port port = { &uart_exynos4210, BASE, 0 };
static uint32_t ucon, uintm;
static unsigned pending; /* UINTP */
static uint8_t fifo[FIFO_SIZE];
static unsigned held;
static int comes_late; /* a byte between a look at UFSTAT and the next write; -1: none */

static void receive(uint8_t byte)
{
	assert_true(held < FIFO_SIZE);
	fifo[held++] = byte;
	pending |= 1;
}

static uint8_t take(void)
{
	uint8_t byte = fifo[0];

	assert_true(held > 0);
	memmove(fifo, fifo + 1, --held);
	return byte;
}

/* The count of a full FIFO is 0; a bit of its own says so. */
static uint32_t ufstat(void)
{
	return held == FIFO_SIZE ? 1u << 8 : held;
}

static uint64_t read(uintptr_t address, unsigned size)
{
	assert_int_equal(size, 4);
	switch (address - BASE) {
	case UCON:
		return ucon;
	case UFSTAT:
		return ufstat();
	case URXH:
		return take();
	default:
		fail();
		return 0;
	}
}

static void write(uintptr_t address, unsigned size, uint64_t value)
{
	assert_int_equal(size, 4);
	if (comes_late >= 0)
		receive((uint8_t)comes_late);
	comes_late = -1;
	switch (address - BASE) {
	case UCON:
		ucon = (uint32_t)value;
		break;
	case UINTP: /* a 1 ends it */
		pending &= ~(unsigned)value;
		break;
	case UINTM:
		uintm = (uint32_t)value;
		break;
	default:
		fail();
	}
}

static void setup(void)
{
	fake_reset();
	fake_mmio.read = read;
	fake_mmio.write = write;
	ucon = 0x5; /* as a boot loader leaves it: polled both ways */
	uintm = 0xf;
	pending = held = 0;
	comes_late = -1;
}

EACH_TEST(setup, NULL);

TEST(nothing_received_is_not_read)
{
	assert_int_equal(uart_get(&port), -1);
}

TEST(bytes_come_in_their_order)
{
	receive('a');
	receive(0xff);
	assert_int_equal(uart_get(&port), 'a');
	assert_int_equal(uart_get(&port), 0xff);
	assert_int_equal(uart_get(&port), -1);
}

TEST(a_full_fifo_is_not_an_empty_one)
{
	for (unsigned i = 0; i < FIFO_SIZE; i++)
		receive((uint8_t)i);
	for (unsigned i = 0; i < FIFO_SIZE; i++)
		assert_int_equal(uart_get(&port), i);
	assert_int_equal(uart_get(&port), -1);
}

TEST(the_interrupt_ends_behind_the_last_byte)
{
	receive('a');
	pending = 0xf;
	(void)uart_get(&port);
	assert_int_equal(pending, 0xf);
	(void)uart_get(&port);
	assert_int_equal(pending, 0xe); /* no other one's */
}

TEST(what_comes_as_it_is_ended_is_not_lost)
{
	comes_late = 'b';
	assert_int_equal(uart_get(&port), 'b');
	assert_int_equal(uart_get(&port), -1);
}

TEST(to_listen_is_one_interrupt)
{
	uart_listen(&port, true);
	assert_int_equal(uintm, 0xe);  /* 1: masked */
	assert_int_equal(ucon, 0x185); /* level, and after a time without more; the rest stays */
	uart_listen(&port, false);
	assert_int_equal(uintm, 0xf);
	assert_int_equal(ucon, 0x185);
}
