/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded text builder, to print records without a libc. The builder never writes past the buffer
 * and always leaves a NUL at the end. From the first byte that does not fit, every byte is dropped
 * and `overflow` is true: the buffer holds the beginning of the text.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *at;      /* the buffer */
	size_t size;   /* size of the buffer, with the terminating NUL */
	size_t length; /* length so far, without the NUL */
	bool overflow;
};

/* Begin an empty text in a buffer of `size` bytes, at least 1. */
void text_init(struct text *text, char *buffer, size_t size);

/* Declare `name`, an empty text, with a buffer of `capacity` bytes in the same block. */
#define TEXT(name, capacity)                                                                       \
	char name##_buffer[capacity];                                                              \
	struct text name;                                                                          \
	text_init(&name, name##_buffer, sizeof(name##_buffer))

void text_char(struct text *text, char c);
void text_string(struct text *text, const char *string);
void text_bytes(struct text *text, const char *bytes, size_t count);

void text_u32(struct text *text, uint32_t value); /* without a 64-bit division */
void text_u64(struct text *text, uint64_t value);

/*
 * Append lower-case digits without a prefix, at least `digits` of them, 0 to 16; 0 means no leading
 * zeros.
 */
void text_hex(struct text *text, uint64_t value, unsigned digits);

/* Append eight digits by the same number of instructions for every value. A checksum changes with
 * the version in a record, and must not move the code after the record. */
void text_checksum(struct text *text, uint32_t value);

/* printf() with the conversions %s, %ju and %jx only. */
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);
__attribute__((format(printf, 2, 0))) void text_vformat(struct text *text, const char *format,
							va_list values);

/* Append a number of thousandths as a decimal with three places. */
void text_milli(struct text *text, uint64_t thousandths);

/* Append a JSON string with its quotes; unprintable bytes become \u00xx. */
void text_json_bytes(struct text *text, const char *bytes, size_t count);
