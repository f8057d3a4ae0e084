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
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(words_find(words, words_at(words, i)), i);
	assert_word(words_at(words, 3), "1G");
	assert_int_equal(words_at(words, 4).length, 0);
	assert_int_equal(words_at("", 0).length, 0);
}

static void only_whole_words_are_found(void **state)
{
	const char *const wrong[] = { "", "of", "offf", "K", "4K 2M", "OFF", " " };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(words_find("off 4K 2M", word_from(wrong[i])), WORD_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stand_between_blanks),
		cmocka_unit_test(a_text_ends_where_its_length_says),
		cmocka_unit_test(a_word_has_an_index),
		cmocka_unit_test(only_whole_words_are_found),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
