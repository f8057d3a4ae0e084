/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a text: runs of bytes between blanks (space, tab, CR). A list of words is such a text,
 * and the index of a token is the value of the word. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct token {
	const char *at; /* not NUL-terminated */
	size_t length;  /* 0: no token */
};

/* A whole string as one token. */
struct token token_from(const char *string);

/* Remove the next token from a text and return it. */
struct token token_next(struct token *rest);

/* The token of an index, or no token. */
struct token token_at(const char *list, uint32_t index);

uint32_t token_count(const char *list);
