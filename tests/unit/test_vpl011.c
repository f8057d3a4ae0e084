/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the emulated PL011: what a guest sends and receives, its interrupt, its registers. */
/* LINK: exit-path drivers/gic/gicv2.c */
#include <string.h>

#include "abi/hypercall.h"
#include "abi/virt.h"
#include "drivers/gic/gic.h"
#include "drivers/uart/pl011_regs.h"
#include "hyp/base/console.h"
#include "hyp/base/record.h"
#include "hyp/dev/vpl011.h"
#include "hyp/trap/trap.h"
#include "hyp/vm/guest_record.h"
#include "hyp/vm/vm.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/fake/fake_gic_model.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"
#include "tests/unit/vgic_guest.h"

static struct vpl011 uart;

static uint32_t get(uint32_t offset)
{
	return (uint32_t)vpl011_read(&guest_vcpu, offset, 4, &uart);
}

static void set(uint32_t offset, uint32_t value)
{
	vpl011_write(&guest_vcpu, offset, 4, value, &uart);
}

static void setup(void)
{
	guest_boot(true);
	(void)record_try_lock(); /* a failed test may have kept the lock */
	record_unlock();
	vpl011_start(&uart, guest_vcpu.vm, true);
	guest_set_enabled(VIRT_UART_INTID, true);
	gic_enable(FAKE_CONSOLE_INTID);
}

/* Type on the console. Its UART drives the interrupt line high while there is something to read. */
static void type(const char *text)
{
	fake_hyp.typed = text;
	fake_gic_line(FAKE_CONSOLE_INTID, true);
	assert_ptr_equal(trap_irq(&guest_vcpu), &guest_vcpu);
	fake_gic_line(FAKE_CONSOLE_INTID, false);
}

/* The guest acknowledges and ends an interrupt. Return true for the UART's, false for none. */
static bool interrupted(void)
{
	uint32_t iar;

	do /* posts of a kick, in pieces */
		vgicd_process_posts(&guest_vcpu);
	while (guest_vcpu.vgic.posted.kinds);
	iar = guest_ack();

	if (gic_intid(iar) == GIC_SPURIOUS)
		return false;
	assert_int_equal(gic_intid(iar), VIRT_UART_INTID);
	guest_eoi(iar);
	return true;
}

EACH_TEST(setup, NULL);

TEST(what_is_sent_arrives_as_it_is)
{
	for (const char *at = "a\r\nb"; *at; at++) {
		assert_int_equal(get(UARTFR) & (UARTFR_TXFF | UARTFR_TXFE), UARTFR_TXFE);
		set(UARTDR, (uint8_t)*at | 0xff00);
	}
	assert_string_equal(fake_hyp.console, "a\r\nb");
	assert_true(fake_hyp.line_open);
}

TEST(a_sent_byte_interrupts_once_it_is_let)
{
	assert_int_equal(get(UARTRIS), 0);
	set(UARTDR, 'a');
	assert_int_equal(get(UARTRIS), UARTINT_TX);
	assert_int_equal(get(UARTMIS), 0);
	assert_false(interrupted());
	set(UARTIMSC, UARTINT_TX);
	assert_int_equal(get(UARTMIS), UARTINT_TX);
	assert_true(interrupted());
	assert_true(interrupted()); /* the interrupt is a level */
	set(UARTICR, UARTINT_TX);
	assert_int_equal(get(UARTRIS), 0);
	assert_false(interrupted());
}

TEST(a_received_byte_interrupts_and_is_read)
{
	set(UARTIMSC, UARTINT_RX | UARTINT_RT);
	assert_int_equal(get(UARTFR) & (UARTFR_RXFE | UARTFR_RXFF), UARTFR_RXFE);
	type("x");
	/* one byte without the FIFO */
	assert_int_equal(get(UARTFR) & (UARTFR_RXFE | UARTFR_RXFF), UARTFR_RXFF);
	assert_int_equal(get(UARTMIS), UARTINT_RX | UARTINT_RT);
	assert_true(interrupted());
	assert_int_equal(get(UARTDR), 'x');
	assert_int_equal(get(UARTFR) & (UARTFR_RXFE | UARTFR_RXFF), UARTFR_RXFE);
	assert_int_equal(get(UARTRIS), 0);
	assert_false(interrupted());
}

TEST(the_fifo_tells_its_level)
{
	static const struct {
		uint8_t ifls;
		unsigned bytes;
	} levels[] = { { 0, 2 }, { 1, 4 }, { 2, 8 }, { 3, 12 }, { 4, 14 } };

	for (unsigned i = 0; i < 5; i++) {
		setup();
		set(UARTLCR_H, UARTLCR_H_FEN);
		set(UARTIFLS, (uint32_t)levels[i].ifls << 3);
		for (unsigned n = 1; n <= levels[i].bytes; n++) {
			assert_int_equal(get(UARTRIS) & UARTINT_RX, 0);
			type("y");
			assert_int_equal(get(UARTRIS) & UARTINT_RT, UARTINT_RT);
		}
		assert_int_equal(get(UARTRIS) & UARTINT_RX, UARTINT_RX);
		get(UARTDR);
		assert_int_equal(get(UARTRIS), UARTINT_RT);
	}
}

TEST(nothing_that_is_typed_is_lost)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	set(UARTLCR_H, UARTLCR_H_FEN);
	type(text);
	assert_false(fake_hyp.listening); /* a full FIFO: its interrupt would come for ever */
	assert_int_equal(get(UARTFR) & UARTFR_RXFF, UARTFR_RXFF);
	for (unsigned i = 0; i < sizeof(text) - 1; i++)
		assert_int_equal(get(UARTDR), text[i]);
	assert_true(fake_hyp.listening);
	assert_int_equal(get(UARTFR) & (UARTFR_RXFE | UARTFR_RXFF), UARTFR_RXFE);
	assert_int_equal(get(UARTDR), 0);
}

TEST(a_fifo_that_is_turned_off_and_on_is_empty)
{
	set(UARTLCR_H, UARTLCR_H_FEN);
	type("abc");
	set(UARTLCR_H, 0);
	assert_int_equal(get(UARTFR) & UARTFR_RXFE, UARTFR_RXFE);
	assert_int_equal(get(UARTRIS), 0);
	type("d");
	set(UARTLCR_H, 0x60); /* word length alone: the byte stays */
	assert_int_equal(get(UARTDR), 'd');
}

TEST(a_timeout_that_is_cleared_comes_with_the_next_byte)
{
	set(UARTLCR_H, UARTLCR_H_FEN);
	set(UARTIMSC, UARTINT_RT);
	type("a");
	set(UARTICR, 0x7ff);
	assert_false(interrupted());
	type("b");
	assert_true(interrupted());
	get(UARTDR);
	assert_int_equal(get(UARTRIS), UARTINT_RT);
	get(UARTDR);
	assert_int_equal(get(UARTRIS), 0);
}

/* After the FIFO was full, a read looks for the console's next byte. */
TEST(a_level_that_is_cleared_interrupts_with_the_next_byte_alone)
{
	set(UARTLCR_H, UARTLCR_H_FEN);
	type("0123456789abcdef");
	set(UARTICR, UARTINT_RX);
	get(UARTDR);
	assert_int_equal(get(UARTRIS) & UARTINT_RX, 0);
	type("g");
	assert_int_equal(get(UARTRIS) & UARTINT_RX, UARTINT_RX);
}

TEST(registers_keep_what_they_have_bits_for)
{
	static const struct {
		uint32_t offset, reset, bits;
	} registers[] = {
		{ UARTILPR, 0, 0xff },
		{ UARTIBRD, 0, 0xffff },
		{ UARTFBRD, 0, 0x3f },
		{ UARTLCR_H, 0, 0xff },
		{ UARTCR, 0x300, 0xffff },
		{ UARTIFLS, 0x12, 0x3f },
		{ UARTIMSC, 0, 0x7ff },
		{ UARTDMACR, 0, 7 },
		{ UARTRSR, 0, 0 },
		{ UARTRIS, 0, 0 },
		{ UARTMIS, 0, 0 },
		{ UARTICR, 0, 0 },
		{ 0x08, 0, 0 },
		{ 0x4c, 0, 0 },
		{ 0x80, 0, 0 },
	};

	for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		assert_int_equal(get(registers[i].offset), registers[i].reset);
		set(registers[i].offset, 0xffffffff);
		assert_int_equal(get(registers[i].offset), registers[i].bits);
	}
	vpl011_start(&uart, guest_vcpu.vm, true);
	for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++)
		assert_int_equal(get(registers[i].offset), registers[i].reset);
}

TEST(it_says_what_it_is)
{
	static const uint8_t id[] = { 0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1 };

	for (uint32_t i = 0; i < 8; i++) {
		set(0xfe0 + 4 * i, 0);
		assert_int_equal(get(0xfe0 + 4 * i), id[i]);
		assert_int_equal(vpl011_read(&guest_vcpu, 0xfe0 + 4 * i + 1, 1, &uart), 0);
	}
	assert_int_equal(get(0xfdc), 0);
}

TEST(bytes_and_halves_of_a_register_are_read)
{
	set(UARTIBRD, 0x1234);
	assert_int_equal(vpl011_read(&guest_vcpu, UARTIBRD, 2, &uart) & 0xffff, 0x1234);
	assert_int_equal(vpl011_read(&guest_vcpu, UARTIBRD + 1, 1, &uart) & 0xff, 0x12);
	type("z");
	assert_int_equal(vpl011_read(&guest_vcpu, UARTDR + 2, 2, &uart) & 0xffff,
			 0); /* and the byte stays */
	assert_int_equal(get(UARTFR) & UARTFR_RXFE, 0);
}

/* --- several UARTs --- */

static struct vm_machine shared = { .shares_console = true };
static struct vm one = { "one", .machine = &shared, .vcpu = { &guest_vcpu }, .vcpu_count = 1 };
static struct vm two = { "two", .machine = &shared, .vcpu = { &guest_vcpu }, .vcpu_count = 1 };
static struct vpl011 uarts[2];

#define MOST 32 /* maximum number of bytes that an exit sends */
#define BYTES 20000
#define TEN "ten bytes "
#define LONG_LINE TEN TEN TEN TEN TEN TEN TEN TEN "\n"

static void start_both(void)
{
	vpl011_stop(&uart);
	vpl011_start(&uarts[0], &one, true);
	vpl011_start(&uarts[1], &two, true);
}

static void say(unsigned n, const char *text)
{
	while (*text)
		vpl011_write(&guest_vcpu, UARTDR, 4, (uint8_t)*text++, &uarts[n]);
}

/* No line of a guest is kept for ever or grows for ever. */
TEST(a_long_line_is_broken_and_the_last_one_is_sent)
{
	start_both();
	for (unsigned i = 0; i < sizeof(uart.text); i++) {
		assert_int_equal(fake_hyp.console_size, 0);
		say(0, "x");
	}
	assert_int_equal(fake_hyp.console_size,
			 0); /* the store that queued the line sends nothing */
	timerq_expire();
	assert_in_range(fake_hyp.console_size, 1, MOST);
	say(1, "login:");
	vpl011_stop(&uarts[1]);
	assert_non_null(strstr(fake_hyp.console, "x\ntwo: login:")); /* on a line of its own */
	vpl011_stop(&uarts[0]);
	assert_int_equal(fake_hyp.console_size,
			 2 * strlen("one: ") + sizeof(uart.text) + strlen("\nlogin:\n"));
}

/* The core's timer sends the rest, some bytes at a time. */
TEST(the_rest_of_a_line_follows_without_an_access)
{
	size_t before;

	start_both();
	say(0, LONG_LINE);
	while (fake_hyp.queued) {
		before = fake_hyp.console_size;
		fake_cntpct_el0 += 1000000000;
		timerq_expire();
		assert_in_range(fake_hyp.console_size - before, 1, MOST);
	}
	assert_string_equal(fake_hyp.console, "one: " LONG_LINE);
	vpl011_stop(&uarts[0]);
}

static bool timer_runs(void)
{
	return fake_cnthp_ctl_el2 & 1;
}

/* A timer that stays would be a useless exit of the next step. Later output of another VM needs a
 * timer of its own. */
TEST(a_stopped_one_leaves_no_timer)
{
	start_both();
	assert_false(timer_runs());
	say(0, LONG_LINE);
	assert_true(timer_runs());
	vpl011_stop(&uarts[0]);
	assert_false(timer_runs());
	assert_string_equal(fake_hyp.console, "one: " LONG_LINE);
	say(1, LONG_LINE);
	assert_true(timer_runs());
	vpl011_stop(&uarts[1]);
	assert_false(timer_runs());
}

/* Another core prints meanwhile: neither an access nor the timer waits for the lock. */
TEST(text_waits_for_no_core_that_prints)
{
	record_lock();
	set(UARTDR, 'a');
	assert_int_equal(get(UARTRIS), UARTINT_TX);
	type("x");
	assert_int_equal(get(UARTDR), 'x');
	fake_cntpct_el0 += 1000000000;
	timerq_expire();
	assert_int_equal(fake_hyp.console_size, 0);
	record_unlock();
	assert_true(timer_runs());
	fake_cntpct_el0 += 1000000000;
	timerq_expire();
	assert_string_equal(fake_hyp.console, "a");
	assert_false(timer_runs());
}

/* A store of a newline adds the VM's name. The guest repeats a store that finds no room. */
TEST(a_store_that_the_queue_has_no_room_for_is_repeated)
{
	unsigned lines = 0;

	start_both();
	say(1, "half");
	record_lock();
	for (; fake_hyp.skipped == 0 && lines < CONSOLE_QUEUE_SIZE; lines++)
		say(0, "\n");
	assert_in_range(fake_hyp.queued, CONSOLE_QUEUE_SIZE / 2, CONSOLE_QUEUE_SIZE);
	say(0, "\n");
	assert_int_equal((int)fake_hyp.skipped, -2);
	assert_int_equal(fake_hyp.queued, (lines - 1) * strlen("one: \n"));
	assert_true(vpl011_unplug(&uarts[0], false)); /* the line of `one` is empty */
	assert_false(vpl011_unplug(&uarts[1], false));
	record_unlock();
	while (!vpl011_unplug(&uarts[1], false))
		;
	vpl011_stop(&uarts[0]);
	assert_int_equal(fake_hyp.console_size,
			 (lines - 1) * strlen("one: \n") + strlen("two: half\n"));
	vpl011_stop(&uarts[1]);
}

/* On another core, a guest fills the queue as far as its stores can. */
static void fill_queue(void)
{
	unsigned lines = 0;

	for (fake_hyp.skipped = 0; fake_hyp.skipped == 0; lines++) {
		assert_in_range(lines, 0, CONSOLE_QUEUE_SIZE);
		say(0, LONG_LINE);
	}
	assert_in_range(CONSOLE_QUEUE_SIZE - fake_hyp.queued, strlen("two: \n") + sizeof(uart.text),
			CONSOLE_QUEUE_SIZE);
	assert_in_range(fake_hyp.console_size, 0, 2 * CONSOLE_QUEUE_SIZE);
}

/* Other guests may send anything meanwhile. */
TEST(a_stopped_ones_last_line_has_room_in_a_queue_that_guests_have_filled)
{
	start_both();
	for (unsigned i = 0; i < sizeof(uart.text) - 1; i++)
		say(1, "y");
	record_lock();
	fill_queue();
	record_unlock();
	fake_hyp.sent = fill_queue;
	vpl011_stop(&uarts[1]);
	fake_hyp.sent = NULL;
	vpl011_stop(&uarts[0]);
	assert_non_null(strstr(fake_hyp.console, "two: y"));
}

/* --- text while a record of a bench guest is open --- */

#define BODY 300u

static struct vm_machine bench_machine;
static struct vm bench = { "bench", .machine = &bench_machine };
static struct vcpu bench_vcpu = { .vm = &bench };

static long send_piece(void)
{
	return guest_record_send(&bench_vcpu, RECORD_CHECK, BODY);
}

/* Begin a record whose line stays open. */
static void open_record(void)
{
	char *ram = fake_pages(2);

	record_in_step(NULL);
	bench_machine.ram = ram_plain(0x80000000, (uintptr_t)ram, 2 * PAGE_SIZE);
	memset(ram + PAGE_SIZE, 'r', PAGE_SIZE);
	ram[PAGE_SIZE] = '"';
	while (fake_hyp.console_size == 0)
		assert_int_equal(send_piece(), HC_AGAIN);
}

/* Return the console's text after one whole record. */
static const char *after_record(void)
{
	const char *end = strchr(fake_hyp.console, '\n');

	assert_non_null(end);
	assert_memory_equal(fake_hyp.console, "{\"seq\":", 7);
	assert_memory_equal(end - 2, "\"}", 2);
	return end + 1;
}

static void say_in_pieces(struct vpl011 *to, const char *text)
{
	for (; *text; text++) {
		size_t before = fake_hyp.console_size;

		vpl011_write(&guest_vcpu, UARTDR, 4, (uint8_t)*text, to);
		assert_in_range(fake_hyp.console_size - before, 0,
				RECORD_PIECE + sizeof(RECORD_CUT));
	}
}

/* Stores print the record, so that the text need not wait for the bench guest. */
TEST(text_comes_after_a_record_that_is_open)
{
	start_both();
	open_record();
	say_in_pieces(&uarts[0], LONG_LINE LONG_LINE);
	vpl011_stop(&uarts[1]);
	assert_string_equal(after_record(), "one: " LONG_LINE "one: " LONG_LINE);
	assert_int_equal(send_piece(), HC_OK);
}

TEST(text_of_the_only_guest_comes_after_a_record_that_is_open)
{
	open_record();
	say_in_pieces(&uart, LONG_LINE LONG_LINE);
	while (fake_hyp.queued) {
		fake_cntpct_el0 += 1000000000;
		timerq_expire();
	}
	say_in_pieces(&uart, "end");
	assert_string_equal(after_record(), LONG_LINE LONG_LINE "end");
	assert_int_equal(send_piece(), HC_OK);
}

/* The lines of VM_MAX guests fill the queue sooner than their stores print a long record. */
TEST(a_record_is_cut_before_the_queue_overflows)
{
	static struct vpl011 many[VM_MAX];
	size_t cut = 0;

	vpl011_stop(&uart);
	for (unsigned n = 0; n < VM_MAX; n++)
		vpl011_start(&many[n], &one, false);
	for (unsigned i = 0; i < sizeof(uart.text) - 1; i++)
		for (unsigned n = 0; n < VM_MAX; n++)
			say_in_pieces(&many[n], "x");
	open_record();
	for (unsigned n = 0; n < VM_MAX; n++) { /* all their lines end at once */
		say_in_pieces(&many[n], "\n");
		timerq_expire();
	}
	for (const char *at = fake_hyp.console; (at = strstr(at, RECORD_CUT "\n")); at++)
		cut++;
	assert_int_equal(cut, 1);
	for (unsigned n = 0; n < VM_MAX; n++)
		vpl011_stop(&many[n]);
	fake_hyp.console_size = 0;
	while (send_piece() != HC_OK)
		;
	assert_string_equal(after_record(), "");
}

TEST(a_stopped_one_cuts_a_record_and_sends_its_text)
{
	const char *cut;

	start_both();
	open_record();
	say_in_pieces(&uarts[0], "x");
	vpl011_stop(&uarts[0]);
	cut = strstr(fake_hyp.console, RECORD_CUT "\n");
	assert_non_null(cut);
	assert_string_equal(cut + strlen(RECORD_CUT "\n"), "one: x\n");
	fake_hyp.console_size = 0;
	while (send_piece() != HC_OK)
		;
	assert_string_equal(after_record(), "");
	vpl011_stop(&uarts[1]);
}

TEST(what_is_typed_is_the_first_ones)
{
	start_both();
	assert_true(fake_hyp.listening);
	type("a");
	assert_int_equal(vpl011_read(&guest_vcpu, UARTDR, 4, &uarts[1]), 0);
	assert_int_equal(vpl011_read(&guest_vcpu, UARTDR, 4, &uarts[0]), 'a');
	vpl011_stop(&uarts[1]); /* this UART does not listen */
	assert_true(fake_hyp.listening);
	type("b");
	assert_int_equal(vpl011_read(&guest_vcpu, UARTDR, 4, &uarts[0]), 'b');
	vpl011_stop(&uarts[0]);
	assert_false(fake_hyp.listening);
	vpl011_start(&uarts[1], &two, true);
	type("c");
	assert_int_equal(vpl011_read(&guest_vcpu, UARTDR, 4, &uarts[1]), 'c');
	vpl011_stop(&uarts[1]);
}
