/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/crc32.h"
#include "tests/unit/unit.h"

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

TEST(known_texts_give_their_crc)
{
	assert_int_equal(crc_of("123456789"), 0xcbf43926);
	assert_int_equal(crc_of(""), 0);
	assert_int_equal(crc_of("a"), 0xe8b7be43);
	assert_int_equal(crc_of("The quick brown fox jumps over the lazy dog"), 0x414fa339);
}

TEST(every_byte_agrees_with_the_bitwise_algorithm)
{
	uint8_t bytes[512];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 + i / 256);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		assert_int_equal(crc32_update(0, bytes, size), crc_bitwise(bytes, size));
}

TEST(pieces_give_the_crc_of_the_whole)
{
	const char *text = "{\"seq\":0,\"kind\":\"run\"}";

	for (size_t cut = 0; cut <= strlen(text); cut++) {
		uint32_t crc = crc32_update(0, text, cut);

		crc = crc32_update(crc, text + cut, strlen(text) - cut);
		assert_int_equal(crc, crc_of(text));
	}
}

TEST(a_flipped_bit_changes_the_crc)
{
	char text[] = "{\"seq\":0,\"kind\":\"run\"}";
	uint32_t crc = crc_of(text);

	for (size_t bit = 0; bit < 8 * (sizeof(text) - 1); bit++) {
		text[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_not_equal(crc32_update(0, text, sizeof(text) - 1), crc);
		text[bit / 8] ^= (char)(1 << bit % 8);
	}
}
