/* SPDX-License-Identifier: Apache-2.0 */
/* Receiving by the mini UART (BCM2711 ARM Peripherals, 2.2), on a part that has these registers
 * alone. */
/* LINK: drivers/uart/uart.c drivers/uart/bcm2835_aux.c */
#include <string.h>

#include "drivers/uart/uart.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define BASE 0xfe215040u
#define IO 0x00u
#define IER 0x04u
#define LSR 0x14u
#define CNTL 0x20u
#define LSR_READY (1u << 0)
#define LSR_OVERRUN (1u << 1)

static const struct uart_port port = { &uart_bcm2835_aux, BASE, 0 };
static uint32_t ier, cntl, lsr;
static uint8_t received[4];
static unsigned first, count;

static uint64_t read(uintptr_t address, unsigned size)
{
	assert_int_equal(size, 4);
	switch (address - BASE) {
	case IO:
		assert_true(first < count);
		return 0x5a5a5a00u | received[first++]; /* bits 31:8 are reserved */
	case LSR:
		return lsr | (first < count ? LSR_READY : 0);
	case CNTL:
		return cntl;
	default:
		fail();
		return 0;
	}
}

static void write(uintptr_t address, unsigned size, uint64_t value)
{
	assert_int_equal(size, 4);
	switch (address - BASE) {
	case IER:
		ier = (uint32_t)value;
		break;
	case CNTL:
		cntl = (uint32_t)value;
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
	ier = 0;
	cntl = 0x2; /* the transmitter */
	lsr = 0x60; /* nothing to send */
	first = count = 0;
}

static void receive(uint8_t byte)
{
	received[count++] = byte;
}

EACH_TEST(setup, NULL);

TEST(nothing_received_is_not_read)
{
	lsr |= LSR_OVERRUN; /* which says that something is lost, not that something is there */
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

TEST(what_is_being_sent_does_not_keep_it_away)
{
	lsr = 0;
	receive('a');
	assert_int_equal(uart_get(&port), 'a');
}

TEST(to_listen_is_the_interrupt_and_the_receiver)
{
	uart_listen(&port, true);
	assert_int_equal(ier, 0x5); /* bit 2 beside bit 0, or none comes */
	assert_int_equal(cntl, 0x3);
	uart_listen(&port, false);
	assert_int_equal(ier, 0);
	assert_int_equal(cntl, 0x3);
}
