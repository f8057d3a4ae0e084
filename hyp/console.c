/* SPDX-License-Identifier: Apache-2.0 */
#include "hyp/console.h"

#include "arch/barrier.h"
#include "arch/semihosting.h"
#include "boards/board.h"
#include "hyp/arch/cpu.h"
#include "lib/text.h"

static const struct uart_port not_found;
static const struct uart_port *port = &not_found; /* in .data: good before bss is cleared, too */

void console_init(void)
{
	port = board.console_in_use ? board.console_in_use() : &board.console;
	port->part->init(port->base);
}

uintptr_t console_base(void)
{
	return port->base;
}

void console_bytes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			port->part->putc(port->base, '\r');
		port->part->putc(port->base, bytes[i]);
	}
}

_Noreturn void machine_end(enum run_status status)
{
	port->part->flush(port->base);
	if (board.semihosting)
		semihosting_exit(status);
	if (board.reset && status != RUN_IMPOSSIBLE)
		board.reset();
	for (;;)
		wfi();
}

static void line_hex(const char *name, uint64_t value)
{
	char buffer[64];
	struct text text;

	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, "  ");
	text_string(&text, name);
	text_string(&text, " 0x");
	text_hex(&text, value, 0);
	text_char(&text, '\n');
	console_bytes(text.at, text.length);
}

_Noreturn void panic_at(const char *file, int line, const char *what)
{
	char buffer[256];
	struct text text;

	if (port == &not_found)
		console_init();
	text_init(&text, buffer, sizeof(buffer));
	text_string(&text, "\npanic: ");
	text_string(&text, file);
	text_char(&text, ':');
	text_i64(&text, line);
	text_string(&text, ": ");
	text_string(&text, what);
	text_char(&text, '\n');
	console_bytes(text.at, text.length);
	cpu_dump(line_hex);
	machine_end(RUN_IMPOSSIBLE);
}
