/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/base/console.h"

#include "arch/barrier.h"
#include "arch/semihosting.h"
#include "boards/board.h"
#include "drivers/gic/gic.h"
#include "hyp/arch/cpu.h"
#include "lib/text.h"

static const struct uart_port not_found;
/* in .data, so that it is valid before bss is cleared */
static const struct uart_port *port = &not_found;
static bool line_is_open; /* a guest wrote the last byte, which was no '\n' */
static char queue[CONSOLE_QUEUE_SIZE];
/* Totals in bytes. console_send() may send the first `queued` of the `written` bytes. */
static unsigned written, queued, sent;

void console_init(void)
{
	port = board.console_in_use ? board.console_in_use() : &board.console;
	uart_init(port);
}

uintptr_t console_base(void)
{
	return port->base;
}

void console_bytes(const char *bytes, size_t size)
{
	const struct uart_port *to = port;

	/* bound: ARGUMENT_1 */
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			uart_putc(to, '\r');
		uart_putc(to, bytes[i]);
	}
}

void console_text(const char *text, size_t size)
{
	/* bound: ARGUMENT_1 */
	for (size_t i = 0; i < size; i++)
		uart_putc(port, text[i]);
}

bool console_is_pl011(void)
{
	return port->part->is_pl011;
}

void console_guest(char byte)
{
	uart_putc(port, byte);
	line_is_open = byte != '\n';
}

void console_guest_had_it(void)
{
	uart_init(port);
	line_is_open = true;
}

void console_queue(const char *bytes, size_t size)
{
	/* bound: ARGUMENT_1 */
	while (size--)
		queue[written++ % CONSOLE_QUEUE_SIZE] = *bytes++;
}

void console_queue_end(void)
{
	__atomic_store_n(&queued, written, __ATOMIC_RELEASE);
}

bool console_send(unsigned most)
{
	unsigned end = __atomic_load_n(&queued, __ATOMIC_ACQUIRE), at = sent;

	/* bound: ARGUMENT_0 */
	for (; most && at != end; most--)
		console_guest(queue[at++ % CONSOLE_QUEUE_SIZE]);
	__atomic_store_n(&sent, at, __ATOMIC_RELEASE);
	return at != end;
}

unsigned console_queued(void)
{
	unsigned begin = __atomic_load_n(&sent, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&queued, __ATOMIC_ACQUIRE) - begin;
}

void console_end_line(void)
{
	if (line_is_open)
		console_bytes("\n", 1);
	line_is_open = false;
}

void console_line(void)
{
	console_send(CONSOLE_QUEUE_SIZE); /* argument: CONSOLE_QUEUE_SIZE */
	console_end_line();
}

int console_get(void)
{
	return uart_get(port);
}

unsigned console_intid(void)
{
	return port->intid ? port->intid : GIC_SPURIOUS;
}

void console_listen(bool on)
{
	if (!port->intid)
		return;
	uart_listen(port, on);
	if (on)
		gic_enable(port->intid);
	else
		gic_disable(port->intid);
}

static bool on_silicon;

void machine_is_silicon(void)
{
	on_silicon = true;
}

static bool ending;
static enum run_status end_status;

/* If nothing answers the semihosting call, its exception calls this function a second time. */
_Noreturn void machine_end(enum run_status status)
{
	bool again = ending;

	if (!again)
		end_status = status;
	ending = true;
	uart_flush(port);
	if (board.semihosting && !on_silicon && !again)
		semihosting_exit(status);
	if (board.reset && end_status != RUN_IMPOSSIBLE)
		board.reset();
	for (;;)
		wfi();
}

static void line_hex(const char *name, uint64_t value)
{
	TEXT(text, 64);

	text_format(&text, "  %s 0x%jx\n", name, value);
	console_bytes(text.at, text.length);
}

_Noreturn void panic_at(const char *file, int line, const char *what)
{
	TEXT(text, 256);

	if (ending)
		machine_end(RUN_IMPOSSIBLE);
	if (port == &not_found)
		console_init();
	text_format(&text, "\npanic: %s:%ju: %s\n", file, (uintmax_t)line, what);
	console_bytes(text.at, text.length);
	cpu_dump(line_hex);
	machine_end(RUN_IMPOSSIBLE);
}
