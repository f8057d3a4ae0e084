/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a text: runs of bytes between blanks (space, tab, CR). A vocabulary is a text too: its
 * words in the order of their indices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct word {
	const char *at; /* not NUL-terminated */
	size_t length;  /* 0: no word */
};

/* A whole string as a word. */
struct word word_from(const char *string);

/* Takes the next word off a text. */
struct word word_next(struct word *rest);

/* The word of an index, or no word. */
struct word words_at(const char *words, uint32_t index);

uint32_t words_count(const char *words);
