/* SPDX-License-Identifier: Apache-2.0 */
/* Signed numbers and JSON strings for a guest's records, in addition to lib/text.h. */
#pragma once

#include <string.h>

#include "lib/text.h"

/* Append the sign and return the magnitude. The result is unsigned, because the smallest int64_t
 * has no positive counterpart. */
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
