/* SPDX-License-Identifier: Apache-2.0 */
/* LINK: guest/probe/tokens.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "guest/probe/tokens.h"

static void assert_token(struct token token, const char *expected)
{
	assert_int_equal(token.length, strlen(expected));
	assert_memory_equal(token.at, expected, token.length);
}

static void tokens_stand_between_blanks(void **state)
{
	struct token rest = token_from("  one\ttwo three\r");

	(void)state;
	assert_token(token_next(&rest), "one");
	assert_token(token_next(&rest), "two");
	assert_token(token_next(&rest), "three");
	assert_int_equal(token_next(&rest).length, 0);
	assert_int_equal(token_next(&rest).length, 0);
}

static void a_text_ends_where_its_length_says(void **state)
{
	struct token rest = { "one two", 5 };

	(void)state;
	assert_token(token_next(&rest), "one");
	assert_token(token_next(&rest), "t");
	assert_int_equal(token_next(&rest).length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_stand_between_blanks),
		cmocka_unit_test(a_text_ends_where_its_length_says),
	};

	return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
