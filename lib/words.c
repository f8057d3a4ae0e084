/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/words.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct word word_from(const char *string)
{
	return (struct word){ string, strlen(string) };
}

static void skip(struct word *rest, bool blanks)
{
	while (rest->length && is_blank(*rest->at) == blanks) {
		rest->at++;
		rest->length--;
	}
}

struct word word_next(struct word *rest)
{
	struct word word;

	skip(rest, true);
	word = *rest;
	skip(rest, false);
	word.length -= rest->length;
	return word;
}

struct word words_at(const char *words, uint32_t index)
{
	struct word rest = word_from(words);
	struct word word = word_next(&rest);

	while (index-- && word.length)
		word = word_next(&rest);
	return word;
}

uint32_t words_count(const char *words)
{
	struct word rest = word_from(words);
	uint32_t count = 0;

	while (word_next(&rest).length)
		count++;
	return count;
}
