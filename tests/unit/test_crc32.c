/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/crc32.h"
#include "tests/unit/unit.h"

static uint32_t crc_of(const char *text)
{
	return crc32_update(0, text, strlen(text));
}

TEST(known_bytes_give_their_crc)
{
	uint8_t every_byte[256];

	for (unsigned i = 0; i < sizeof(every_byte); i++)
		every_byte[i] = (uint8_t)i;
	assert_int_equal(crc32_update(0, every_byte, sizeof(every_byte)), 0x29058c73);
	assert_int_equal(crc_of("123456789"), 0xcbf43926);
	assert_int_equal(crc_of(""), 0);
	assert_int_equal(crc_of("a"), 0xe8b7be43);
	assert_int_equal(crc_of("The quick brown fox jumps over the lazy dog"), 0x414fa339);
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
