/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of records as in abi/record.h: framing, sequence and CRC, at once and in pieces. */
/* LINK: hyp/base/record.c */
#include <stdio.h>
#include <string.h>

#include "hyp/base/record.h"
#include "lib/crc32.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

/* The sequence continues over all tests of this program. */
static unsigned next_seq;

static void setup(void)
{
	fake_hyp_reset();
	record_in_step(NULL);
}

/* Return the fault of a line (which ends in '\n'), or NULL. */
static const char *line_wrong(const char *line, size_t size, unsigned seq)
{
	const size_t tail = sizeof(",\"crc\":\"xxxxxxxx\"}\n") - 1;
	char begin[40], end[40];
	unsigned quotes = 0;

	if (size < tail)
		return "too short";
	snprintf(begin, sizeof(begin), "{\"seq\":%u,\"kind\":\"", seq);
	snprintf(end, sizeof(end), ",\"crc\":\"%08x\"}\n", crc32_update(0, line, size - tail));
	if (strncmp(line, begin, strlen(begin)) != 0)
		return "its beginning";
	if (memcmp(line + size - tail, end, tail) != 0)
		return "its CRC";
	for (size_t i = 0; i < size - 1; i++) {
		if (line[i] < ' ' || line[i] > '~')
			return "a byte that is not printable";
		if (line[i] == '\\')
			i++;
		else
			quotes += line[i] == '"';
	}
	return quotes % 2 ? "an open string" : NULL;
}

/* Assert that each line of the console is a record. Clear the console, return the line count. */
static unsigned assert_lines(void)
{
	const char *at = fake_hyp.console;
	unsigned count = 0;

	for (; *at; count++) {
		const char *end = strchr(at, '\n');
		const char *wrong;

		assert_non_null(end);
		wrong = line_wrong(at, (size_t)(end + 1 - at), next_seq++);
		if (wrong)
			fail_msg("%s: %.*s", wrong, (int)(end - at), at);
		at = end + 1;
	}
	fake_hyp.console_size = 0;
	fake_hyp.console[0] = '\0';
	return count;
}

static void assert_console_has(const char *text)
{
	if (!strstr(fake_hyp.console, text))
		fail_msg("no %s in %s", text, fake_hyp.console);
}

EACH_TEST(setup, NULL);

TEST(a_string_has_any_length)
{
	char string[3000];

	memset(string, 'x', sizeof(string) - 1);
	string[sizeof(string) - 1] = '\0';
	record_open(RECORD_RUN);
	record_string("compiler", string);
	record_u64("after", 1);
	record_close();
	assert_console_has(string);
	assert_console_has("xxx\",\"after\":1,\"crc\"");
	assert_int_equal(assert_lines(), 1);
}

/* The head of a record in pieces equals that of a record that is opened at once. */
TEST(a_record_in_pieces_has_the_same_head)
{
	static const struct record_step step = { 7, 1, "a-name-of-23-characters",
						 "b-name-of-23-characters", "measured" };
	char whole[FAKE_CONSOLE_SIZE];

	record_in_step(&step);
	record_open_vcpu(RECORD_CALIBRATION, "c-name-of-23-characters", 3);
	record_raw(",", 1);
	record_close();
	strcpy(whole, strchr(fake_hyp.console, ','));
	assert_int_equal(assert_lines(), 1);
	while (record_head_piece(RECORD_CALIBRATION, "c-name-of-23-characters", 3))
		assert_true(record_in_pieces());
	record_end_pieces();
	assert_false(record_in_pieces());
	*strstr(whole, "\"crc\"") = '\0';
	assert_console_has(whole);
	assert_int_equal(assert_lines(), 1);
}
