/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/text.h"

#include <string.h>

void text_init(struct text *text, char *buffer, size_t size)
{
	*text = (struct text){ .at = buffer, .size = size };
	buffer[0] = '\0';
}

void text_char(struct text *text, char c)
{
	if (text->length + 1 >= text->size) {
		text->overflow = true; /* the text is full from now on */
		return;
	}
	text->at[text->length++] = c;
	text->at[text->length] = '\0';
}

void text_bytes(struct text *text, const char *bytes, size_t count)
{
	/* bound: ARGUMENT_2 */
	for (size_t i = 0; i < count; i++)
		text_char(text, bytes[i]);
}

void text_string(struct text *text, const char *string)
{
	/* argument: ARGUMENT_1 */
	text_bytes(text, string, strlen(string));
}

static void text_decimal(struct text *text, uint64_t value, unsigned digits)
{
	char buffer[20]; /* 2^64 - 1 has 20 decimal digits */
	unsigned at = sizeof(buffer);

	/* bound: 20: decimal digits of 2^64 - 1 */
	do {
		buffer[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	/* bound: 3: the digits after a point */
	while (sizeof(buffer) - at < digits && at)
		buffer[--at] = '0';
	text_bytes(text, buffer + at, sizeof(buffer) - at); /* argument: 20 */
}

void text_u32(struct text *text, uint32_t value)
{
	char buffer[10]; /* 2^32 - 1 has 10 decimal digits */
	unsigned at = sizeof(buffer);

	/* bound: 10 */
	do {
		buffer[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_bytes(text, buffer + at, sizeof(buffer) - at); /* argument: 10 */
}

void text_u64(struct text *text, uint64_t value)
{
	text_decimal(text, value, 0);
}

void text_hex(struct text *text, uint64_t value, unsigned digits)
{
	unsigned count = 1;

	/* bound: 15 */
	while (count < 16 && (count < digits || value >> 4 * count))
		count++;
	/* bound: 16 */
	while (count--)
		text_char(text, "0123456789abcdef"[value >> 4 * count & 15]);
}

static void text_number(struct text *text, uintmax_t value, bool is_hex)
{
	if (is_hex)
		text_hex(text, value, 0);
	else
		text_u64(text, value);
}

void text_vformat(struct text *text, const char *format, va_list values)
{
	/* bound: 32: characters of a format of a record, with one string and one number */
	for (; *format; format++) {
		if (*format != '%')
			text_char(text, *format);
		else if (*++format == 's')
			/* most: 1; argument: 64 */
			text_string(text, va_arg(values, const char *));
		else
			/* most: 1 */
			text_number(text, va_arg(values, uintmax_t), *++format == 'x');
	}
}

void text_format(struct text *text, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	text_vformat(text, format, values);
	va_end(values);
}

void text_checksum(struct text *text, uint32_t value)
{
	char digits[8];

	/* bound: 8 */
	for (unsigned i = 0; i < sizeof(digits); i++)
		digits[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
	text_bytes(text, digits, sizeof(digits)); /* argument: 8 */
}

void text_milli(struct text *text, uint64_t thousandths)
{
	text_u64(text, thousandths / 1000);
	text_char(text, '.');
	text_decimal(text, thousandths % 1000, 3);
}

static void text_json_char(struct text *text, char c)
{
	if (c < ' ' || c > '~') {
		/* most: 0: EL2's own words and the plan's names are printable; argument: 4 */
		text_string(text, "\\u00");
		text_hex(text, (uint8_t)c, 2);
		return;
	}
	if (c == '"' || c == '\\')
		text_char(text, '\\');
	text_char(text, c);
}

void text_json_bytes(struct text *text, const char *bytes, size_t count)
{
	text_char(text, '"');
	/* bound: ARGUMENT_2 */
	for (size_t i = 0; i < count; i++)
		text_json_char(text, bytes[i]);
	text_char(text, '"');
}
