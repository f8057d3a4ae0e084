/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/words.h"

static void assert_word(struct word word, const char *expected)
{
	assert_int_equal(word.length, strlen(expected));
	assert_memory_equal(word.at, expected, word.length);
}

static void words_stand_between_blanks(void **state)
{
	struct word rest = word_from("  one\ttwo three\r");

	(void)state;
	assert_word(word_next(&rest), "one");
	assert_word(word_next(&rest), "two");
	assert_word(word_next(&rest), "three");
	assert_int_equal(word_next(&rest).length, 0);
	assert_int_equal(word_next(&rest).length, 0);
}

static void a_text_ends_where_its_length_says(void **state)
{
	struct word rest = { "one two", 5 };

	(void)state;
	assert_word(word_next(&rest), "one");
	assert_word(word_next(&rest), "t");
	assert_int_equal(word_next(&rest).length, 0);
}

static void a_word_has_an_index(void **state)
{
	const char *words = "off 4K 2M 1G ";

	(void)state;
	assert_word(words_at(words, 0), "off");
	assert_word(words_at(words, 3), "1G");
	assert_int_equal(words_at(words, 4).length, 0);
	assert_int_equal(words_at("", 0).length, 0);
}

static void words_are_counted(void **state)
{
	(void)state;
	assert_int_equal(words_count("off 4K 2M 1G "), 4);
	assert_int_equal(words_count("one"), 1);
	assert_int_equal(words_count(" "), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stand_between_blanks),
		cmocka_unit_test(a_text_ends_where_its_length_says),
		cmocka_unit_test(a_word_has_an_index),
		cmocka_unit_test(words_are_counted),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
