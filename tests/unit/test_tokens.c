/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: guest/probe/tokens.c */
#include <string.h>

#include "guest/probe/tokens.h"
#include "tests/unit/unit.h"

static void assert_token(struct token token, const char *expected)
{
	assert_int_equal(token.length, strlen(expected));
	assert_memory_equal(token.at, expected, token.length);
}

TEST(tokens_stand_between_blanks)
{
	struct token rest = token_from("  one\ttwo three\r");

	assert_token(token_next(&rest), "one");
	assert_token(token_next(&rest), "two");
	assert_token(token_next(&rest), "three");
	assert_int_equal(token_next(&rest).length, 0);
	assert_int_equal(token_next(&rest).length, 0);
}

TEST(a_text_ends_where_its_length_says)
{
	struct token rest = { "one two", 5 };

	assert_token(token_next(&rest), "one");
	assert_token(token_next(&rest), "t");
	assert_int_equal(token_next(&rest).length, 0);
}
