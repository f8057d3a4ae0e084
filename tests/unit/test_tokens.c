/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/tokens.h"

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

static void a_token_has_an_index(void **state)
{
	const char *list = "off 4K 2M 1G ";

	(void)state;
	assert_token(token_at(list, 0), "off");
	assert_token(token_at(list, 3), "1G");
	assert_int_equal(token_at(list, 4).length, 0);
	assert_int_equal(token_at("", 0).length, 0);
}

static void tokens_are_counted(void **state)
{
	(void)state;
	assert_int_equal(token_count("off 4K 2M 1G "), 4);
	assert_int_equal(token_count("one"), 1);
	assert_int_equal(token_count(" "), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_stand_between_blanks),
		cmocka_unit_test(a_text_ends_where_its_length_says),
		cmocka_unit_test(a_token_has_an_index),
		cmocka_unit_test(tokens_are_counted),
	};

	return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
