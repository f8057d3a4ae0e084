/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a text: runs of bytes between blanks (space, tab, CR). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct token {
	const char *at; /* not NUL-terminated */
	size_t length;  /* 0 without a token */
};

/* Return a whole string as one token. */
struct token token_from(const char *string);

/* Remove the next token from a text and return it. */
struct token token_next(struct token *rest);
