/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the console: guests' text that waits, and lines that come between it. */
/* LINK: hyp/base/console.c drivers/uart/uart.c drivers/uart/pl011.c */
#include <setjmp.h>
#include <string.h>

#include "boards/board.h"
#include "drivers/uart/pl011_regs.h"
#include "hyp/arch/cpu.h"
#include "hyp/base/console.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/function.h"
#include "tests/unit/unit.h"

#define BASE 0x9000000u

static jmp_buf after_reset;
static unsigned calls;

static void reset_board(void)
{
	longjmp(after_reset, 1);
}

/* No host answers the call, so the call is an exception. */
static void undefined_call(unsigned code)
{
	assert_int_equal(code, RUN_OK);
	calls++;
	panic("undefined instruction");
}

/* The board of this test: that of fake_hyp.c comes with a console of its own. */
const struct board board = {
	.console = { &uart_pl011, BASE, 33 },
	.semihosting = true,
	.reset = reset_board,
};
static char sent[3 * CONSOLE_QUEUE_SIZE];
static size_t sent_size;
static bool gic_on;

void gic_enable(unsigned intid)
{
	assert_int_equal(intid, 33);
	gic_on = true;
}

void gic_disable(unsigned intid)
{
	assert_int_equal(intid, 33);
	gic_on = false;
}

FAKE_VOID_FUNC(cpu_dump, (void (*line)(const char *name, uint64_t value)))

static uint64_t read(uintptr_t address, unsigned size)
{
	return 0; /* FR: room to send */
}

static void write(uintptr_t address, unsigned size, uint64_t value)
{
	if (address != BASE + UARTDR)
		return;
	assert_in_range(sent_size, 0, sizeof(sent) - 2);
	sent[sent_size++] = (char)value;
	sent[sent_size] = '\0';
}

static void setup(void)
{
	fake_reset();
	fake_mmio = (struct fake_mmio){ read, write };
	console_init();
	console_line(); /* end the line that a test left */
	sent_size = 0;
	sent[0] = '\0';
}

static void queue(const char *text)
{
	console_queue(text, strlen(text));
	console_queue_end();
}

EACH_TEST(setup, NULL);

/* The queue wraps many times in its array, and loses no byte when it is full. */
TEST(no_byte_is_lost_where_the_queue_goes_round)
{
	static char bytes[CONSOLE_QUEUE_SIZE];
	unsigned next = 0, queued = 0;

	for (unsigned round = 0; round < 50; round++) {
		unsigned size = round % 2 ? CONSOLE_QUEUE_SIZE : 777;

		for (unsigned i = 0; i < size; i++)
			bytes[i] = (char)(queued++ % 251);
		console_queue(bytes, size);
		assert_false(console_send(size)); /* the end of the text is to come */
		assert_int_equal(console_queued(), 0);
		console_queue_end();
		assert_true(console_send(size / 3));
		assert_false(console_send(size));
		assert_int_equal(sent_size, size);
		for (unsigned i = 0; i < size; i++)
			assert_int_equal((uint8_t)sent[i], next++ % 251);
		sent_size = 0;
	}
}

TEST(text_that_waits_is_counted)
{
	assert_int_equal(console_queued(), 0);
	queue("one: half");
	assert_int_equal(console_queued(), 9);
	assert_true(console_send(3));
	assert_int_equal(console_queued(), 6);
	console_end_line();
	assert_string_equal(sent, "one\r\n"); /* the rest waits */
	console_line();
	assert_int_equal(console_queued(), 0);
}

TEST(text_is_sent_as_it_is)
{
	console_text("a{\r}z", 4);
	console_line(); /* the line is not that of a guest */
	assert_string_equal(sent, "a{\r}");
}

/* A record begins a line, after all text that guests have sent. */
TEST(a_line_of_our_own_comes_after_what_waits)
{
	queue("one: half");
	assert_true(console_send(3));
	console_line();
	console_bytes("{}\n", 3);
	assert_string_equal(sent, "one: half\r\n{}\r\n");
	queue("one: whole\n");
	console_line();
	console_line();
	assert_string_equal(sent, "one: half\r\n{}\r\none: whole\n");
}

TEST(its_interrupt_is_on_while_it_listens)
{
	assert_int_equal(console_intid(), 33);
	console_listen(true);
	assert_true(gic_on);
	console_listen(false);
	assert_false(gic_on);
}

TEST(a_semihosting_call_without_an_answer_ends_in_a_reset_and_prints_nothing)
{
	fake_semihosting = undefined_call;
	if (!setjmp(after_reset))
		machine_end(RUN_OK);
	assert_int_equal(calls, 1);
	assert_string_equal(sent, "");
}
