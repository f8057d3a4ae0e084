/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest's records need beyond lib/text.h: signed numbers and JSON strings. */
#pragma once

#include <string.h>

#include "lib/text.h"

/* Append the sign and return the number without it. Unsigned: the smallest int64_t has no positive
 * counterpart. */
static inline uint64_t text_sign(struct text *text, int64_t value)
{
	if (value >= 0)
		return (uint64_t)value;
	text_char(text, '-');
	return -(uint64_t)value;
}

static inline void text_i64(struct text *text, int64_t value)
{
	text_u64(text, text_sign(text, value));
}

static inline void text_json_string(struct text *text, const char *string)
{
	text_json_bytes(text, string, strlen(string));
}
