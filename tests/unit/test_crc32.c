/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/crc32.h"

static uint32_t crc_of(const char *text)
{
	return crc32_update(0, text, strlen(text));
}

/* The algorithm by the book, a bit at a time. */
static uint32_t crc_bitwise(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void known_texts_give_their_crc(void **state)
{
	(void)state;
	assert_int_equal(crc_of("123456789"), 0xcbf43926);
	assert_int_equal(crc_of(""), 0);
	assert_int_equal(crc_of("a"), 0xe8b7be43);
	assert_int_equal(crc_of("The quick brown fox jumps over the lazy dog"), 0x414fa339);
}

static void every_byte_agrees_with_the_bitwise_algorithm(void **state)
{
	uint8_t bytes[512];

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 + i / 256);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		assert_int_equal(crc32_update(0, bytes, size), crc_bitwise(bytes, size));
}

static void pieces_give_the_crc_of_the_whole(void **state)
{
	const char *text = "{\"seq\":0,\"kind\":\"run\"}";

	(void)state;
	for (size_t cut = 0; cut <= strlen(text); cut++) {
		uint32_t crc = crc32_update(0, text, cut);

		crc = crc32_update(crc, text + cut, strlen(text) - cut);
		assert_int_equal(crc, crc_of(text));
	}
}

static void a_flipped_bit_changes_the_crc(void **state)
{
	char text[] = "{\"seq\":0,\"kind\":\"run\"}";
	uint32_t crc = crc_of(text);

	(void)state;
	for (size_t bit = 0; bit < 8 * (sizeof(text) - 1); bit++) {
		text[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_not_equal(crc32_update(0, text, sizeof(text) - 1), crc);
		text[bit / 8] ^= (char)(1 << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts_give_their_crc),
		cmocka_unit_test(every_byte_agrees_with_the_bitwise_algorithm),
		cmocka_unit_test(pieces_give_the_crc_of_the_whole),
		cmocka_unit_test(a_flipped_bit_changes_the_crc),
	};

	return cmocka_run_group_tests_name("crc32", tests, NULL, NULL);
}
