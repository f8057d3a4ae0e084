/* SPDX-License-Identifier: Apache-2.0 */
/* Records as abi/record.h has them: framing, sequence, CRC, and what a guest may not say. */
/* LINK: hyp/base/record.c */
#include <stdio.h>
#include <string.h>

#include "hyp/base/record.h"
#include "lib/crc32.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

/* The sequence goes on over all tests of this program. */
static unsigned next_seq;

static bool from_guest(unsigned kind, const char *body, size_t size)
{
	return record_from_guest(kind, "v", 2, body, size);
}

static void setup(void)
{
	fake_hyp_reset();
	record_in_step(NULL);
}

/* The fault of a line (which ends in '\n'), or NULL. */
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

/* Each line of the console is a record; forgets them. Returns how many there were. */
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

static void assert_end(bool steps_ok, bool ok, const char *members)
{
	char records[40];

	snprintf(records, sizeof(records), "\"end\",\"records\":%u,", next_seq + 1);
	assert_int_equal(record_end(steps_ok, 0), ok);
	assert_console_has(records);
	assert_console_has(members);
	assert_int_equal(assert_lines(), 1);
}

/* Before every test that emits a fault or an error. */
TEST(an_end_without_a_fault_is_ok)
{
	assert_end(true, true, "\"faults\":0,\"errors\":0,\"status\":\"ok\"");
	assert_end(false, false, "\"faults\":0,\"errors\":0,\"status\":\"failed\"");
}

TEST(members_have_their_types)
{
	record_open(RECORD_STEP);
	record_u64("zero", 0);
	record_u64("all", UINT64_MAX);
	record_hex("hex", 0xabcdef0123456789);
	record_hex("none", 0);
	record_string("string", "a \"b\" \\c\\ \x7f\n\t");
	record_raw(",\"list\":[1,2]", 13);
	record_close();
	assert_console_has("\"kind\":\"step\",\"zero\":0,\"all\":18446744073709551615,"
			   "\"hex\":\"0xabcdef0123456789\",\"none\":\"0x0\","
			   "\"string\":\"a \\\"b\\\" \\\\c\\\\ \\u007f\\u000a\\u0009\","
			   "\"list\":[1,2],\"crc\":\"");
	assert_int_equal(assert_lines(), 1);
}

TEST(a_record_of_a_step_names_it_first)
{
	const struct record_step step = {
		.step = 7, .pass = 1, .config = "c", .bench = "b", .vm = "m"
	};

	record_in_step(&step);
	record_open(RECORD_STEP);
	record_close();
	record_open_vcpu(RECORD_FAULT, "other", 0);
	record_close();
	assert_true(from_guest(RECORD_BENCH, "\"n\":1", 5));
	record_error("here", "this");
	assert_console_has("\"kind\":\"step\",\"step\":7,\"pass\":1,\"config\":\"c\","
			   "\"bench\":\"b\",\"vm\":\"m\",\"crc\"");
	assert_console_has("\"kind\":\"fault\",\"step\":7,\"pass\":1,\"config\":\"c\","
			   "\"bench\":\"b\",\"vm\":\"other\",\"vcpu\":0,\"crc\"");
	assert_console_has("\"kind\":\"bench\",\"step\":7,\"pass\":1,\"config\":\"c\","
			   "\"bench\":\"b\",\"vm\":\"v\",\"vcpu\":2,\"n\":1,\"crc\"");
	assert_console_has("\"vm\":\"m\",\"where\":\"here\",\"what\":\"this\",\"crc\"");
	assert_int_equal(assert_lines(), 4);
}

TEST(every_kind_has_its_name)
{
#define X(NAME, text, may_guest)                                                                   \
	record_open(RECORD_##NAME);                                                                \
	record_close();                                                                            \
	assert_console_has("\"kind\":\"" text "\"");                                               \
	assert_int_equal(assert_lines(), 1);
	RECORD_KINDS(X)
#undef X
}

/* --- guests --- */

TEST(a_guest_may_emit_its_own_kinds_only)
{
#define X(NAME, text, may_guest)                                                                   \
	assert_int_equal(from_guest(RECORD_##NAME, "\"a\":1", 5), may_guest);                      \
	assert_int_equal(assert_lines(), may_guest);
	RECORD_KINDS(X)
#undef X
	assert_false(from_guest(RECORD_KIND_COUNT, "\"a\":1", 5));
	assert_false(from_guest(UINT32_MAX, "\"a\":1", 5));
	assert_int_equal(assert_lines(), 0);
}

static void assert_refused(const char *body, size_t size)
{
	assert_false(from_guest(RECORD_CHECK, body, size));
	assert_string_equal(fake_hyp.console, "");
}

TEST(a_body_that_does_not_begin_with_a_quote_is_refused)
{
	assert_refused("", 0);
	assert_refused("a", 1);
	assert_refused(" \"a\":1", 6);
	assert_refused("}\"a\":1", 6);
	assert_refused(",\"a\":1", 6);
}

TEST(a_body_with_an_unprintable_byte_is_refused)
{
	char body[] = "\"a\":1,\"b\":2";

	for (unsigned at = 0; at < sizeof(body) - 1; at++)
		for (int byte = -128; byte < 128; byte++) {
			char kept = body[at];

			if (byte >= ' ' && byte <= '~')
				continue;
			body[at] = (char)byte;
			assert_refused(body, sizeof(body) - 1);
			body[at] = kept;
		}
	assert_true(from_guest(RECORD_CHECK, body, sizeof(body) - 1));
	assert_int_equal(assert_lines(), 1);
}

TEST(a_guests_body_is_read_to_its_size)
{
	assert_true(from_guest(RECORD_CHECK, "\"a\":12345", 6));
	assert_console_has("\"kind\":\"check\",\"vm\":\"v\",\"vcpu\":2,\"a\":12,\"crc\"");
	assert_int_equal(assert_lines(), 1);
}

/* --- long strings --- */

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

/* --- the end --- */

/* The only test that counts: it begins with the faults and errors of the tests before. */
TEST(the_end_counts_records_faults_and_errors)
{
	const struct record_step step = { .config = "c", .bench = "b", .vm = "m" };
	unsigned faults = 2; /* of a_record_of_a_step…, every_kind_has_its_name */
	unsigned errors = 3; /* of that, a_record_of_a_step…, a_guest_may_emit… */
	char members[80];

	record_in_step(&step);
	record_error("where", "what");
	record_open(RECORD_FAULT);
	record_close();
	assert_true(from_guest(RECORD_ERROR, "\"where\":\"g\"", 11));
	assert_int_equal(assert_lines(), 3);
	snprintf(members, sizeof(members), "\"faults\":%u,\"errors\":%u,\"status\":\"failed\"",
		 faults + 1, errors + 2);
	assert_end(true, false, members);
}

TEST(the_end_says_the_cores_clock_where_it_is_known)
{
	assert_false(record_end(false, 1500000000));
	assert_console_has("\"cpu_hz\":1500000000,\"status\"");
	assert_int_equal(assert_lines(), 1);
	assert_false(record_end(false, 0));
	assert_null(strstr(fake_hyp.console, "cpu_hz"));
	assert_int_equal(assert_lines(), 1);
}

/* What a vCPU changes after the check, while another vCPU's hypercall sends it. */
TEST(a_body_that_changes_begins_no_line)
{
	static const char body[] = "\"a\":1}\n{\"seq\":0\x80";

	assert_true(record_open_guests(RECORD_CHECK, "v", 2, "\"a\":1", 5));
	record_guests(body, sizeof(body) - 1);
	record_close();
	record_unlock();
	assert_console_has(",\"a\":1}?{\"seq\":0?,\"crc\":");
	assert_int_equal(assert_lines(), 1);
}
