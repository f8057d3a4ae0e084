/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/probe/tokens.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct token token_from(const char *string)
{
	return (struct token){ string, strlen(string) };
}

static void skip(struct token *rest, bool blanks)
{
	while (rest->length && is_blank(*rest->at) == blanks) {
		rest->at++;
		rest->length--;
	}
}

struct token token_next(struct token *rest)
{
	struct token token;

	skip(rest, true);
	token = *rest;
	skip(rest, false);
	token.length -= rest->length;
	return token;
}
