/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "guest/kernel/text.h"
#include "tests/unit/unit.h"

static char buffer[128];
static struct text text;

static void setup(void)
{
	memset(buffer, '!', sizeof(buffer));
	text_init(&text, buffer, sizeof(buffer));
}

/* Return the text built since the last call. */
static const char *built(void)
{
	static char copy[sizeof(buffer)];

	assert_false(text.overflow);
	assert_int_equal(text.length, strlen(buffer));
	strcpy(copy, buffer);
	setup();
	return copy;
}

EACH_TEST(setup, NULL);

TEST(numbers_of_32_bits)
{
	text_u32(&text, 0);
	assert_string_equal(built(), "0");
	text_u32(&text, 9);
	text_u32(&text, 10);
	assert_string_equal(built(), "910");
	text_u32(&text, 1000000007);
	text_u32(&text, UINT32_MAX);
	assert_string_equal(built(), "10000000074294967295");
}

/* Build a text with each function. The test below does so in buffers of every size up to the first
 * that holds the whole text: no byte after the buffer changes, and the buffer holds the beginning
 * of the text. */
static void build_all(struct text *into)
{
	text_string(into, "ab");
	text_u64(into, UINT64_MAX);
	text_i64(into, INT64_MIN);
	text_i64(into, INT64_MAX);
	text_hex(into, 0, 0);
	text_hex(into, 0xab, 8);
	text_hex(into, UINT64_MAX, 0);
	text_hex(into, 0x12345, 2); /* text_hex() never cuts a number */
	text_checksum(into, 0x0123abcd);
	text_milli(into, 1);
	text_milli(into, 123456);
	text_milli(into, text_sign(into, -50));
	text_json_string(into, "/ ~\"\\\n\x1f\x7f\xff");
	text_char(into, 'z');
}

TEST(what_does_not_fit_is_cut_and_remembered)
{
	char whole[192], cut[192];
	size_t length;

	text_init(&text, whole, sizeof(whole));
	build_all(&text);
	assert_string_equal(whole, "ab18446744073709551615-92233720368547758089223372036854775807"
				   "0000000abffffffffffffffff123450123abcd0.001123.456-0.050"
				   "\"/ ~\\\"\\\\\\u000a\\u001f\\u007f\\u00ff\"z");
	assert_false(text.overflow);
	length = text.length;
	for (size_t size = 1; size <= length + 1; size++) {
		memset(cut, '!', sizeof(cut));
		text_init(&text, cut, size);
		build_all(&text);
		assert_int_equal(text.overflow, size <= length);
		assert_int_equal(strlen(cut), size - 1);
		assert_memory_equal(cut, whole, size - 1);
		for (size_t i = size; i < sizeof(cut); i++)
			assert_int_equal(cut[i], '!');
	}
}
