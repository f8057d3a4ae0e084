/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/output.h"

#include "drivers/uart/uart.h"
#include "guest/kernel/text.h"
#include "lib/crc32.h"

static struct uart_port console = { .part = &uart_pl011 };
static uint32_t sequence;
static char line[512];
static struct text text;
static const char *vm_name = "";
static bool first_number;

void output_init(uintptr_t base, bool start)
{
	console.base = base;
	if (start)
		uart_init(&console);
}

void output_name(const char *vm)
{
	vm_name = vm;
}

void output_begin(const char *kind)
{
	text_init(&text, line, sizeof(line));
	text_string(&text, "{\"probe\":");
	text_u64(&text, sequence++);
	output_string("kind", kind);
	if (vm_name[0])
		output_string("vm", vm_name);
}

static void name_of(const char *name)
{
	text_string(&text, ",\"");
	text_string(&text, name);
	text_string(&text, "\":");
}

void output_u64(const char *name, uint64_t value)
{
	name_of(name);
	text_u64(&text, value);
}

void output_hex(const char *name, uint64_t value)
{
	name_of(name);
	text_string(&text, "\"0x");
	text_hex(&text, value, 0);
	text_char(&text, '"');
}

void output_string(const char *name, const char *value)
{
	name_of(name);
	text_json_string(&text, value);
}

void output_numbers(const char *name)
{
	name_of(name);
	text_char(&text, '[');
	first_number = true;
}

void output_number(uint32_t value)
{
	if (!first_number)
		text_char(&text, ',');
	first_number = false;
	text_u64(&text, value);
}

void output_numbers_end(void)
{
	text_char(&text, ']');
}

void output_end(void)
{
	uint32_t crc = crc32_update(0, line, text.length);

	text_string(&text, ",\"crc\":\"");
	text_checksum(&text, crc);
	text_string(&text, "\"}\n");
	for (size_t i = 0; i < text.length; i++)
		uart_putc(&console, line[i]);
	uart_flush(&console);
}
