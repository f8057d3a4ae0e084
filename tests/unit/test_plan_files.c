/* SPDX-License-Identifier: Apache-2.0 */
/* The plans in plans/ and the one in docs/plans.md are right, and the page names all there is. Runs
 * at the top of the tree. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan.h"

static char page[32768];
static struct plan plan;

static void read_file(const char *path, char *buffer, size_t size)
{
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("cannot open %s; run this at the top of the tree", path);
	memset(buffer, 0, size);
	assert_in_range(fread(buffer, 1, size, file), 1, size - 1);
	fclose(file);
}

static int read_page(void **state)
{
	(void)state;
	read_file("docs/plans.md", page, sizeof(page));
	return 0;
}

static void assert_parses(const char *path, const char *text, size_t size)
{
	struct plan_error error;

	if (!plan_parse(text, size, &plan, &error))
		fail_msg("%s:%u: %s", path, error.line, error.message);
}

static void the_shipped_plans_parse_and_fit(void **state)
{
	static char text[PLAN_TEXT_SIZE];
	glob_t files;

	(void)state;
	assert_int_equal(glob("plans/*.plan", 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= 2);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		read_file(files.gl_pathv[i], text, sizeof(text));
		assert_parses(files.gl_pathv[i], text, sizeof(text));
	}
	globfree(&files);
}

static void the_short_plan_runs_what_the_default_plan_runs(void **state)
{
	static char text[PLAN_TEXT_SIZE];
	static struct plan whole;

	(void)state;
	read_file("plans/default.plan", text, sizeof(text));
	assert_parses("plans/default.plan", text, sizeof(text));
	whole = plan;
	read_file("plans/short.plan", text, sizeof(text));
	assert_parses("plans/short.plan", text, sizeof(text));
	assert_int_equal(plan.config_count, whole.config_count);
	assert_memory_equal(plan.config, whole.config, sizeof(plan.config));
	assert_int_equal(plan.bench_count, whole.bench_count);
	for (uint32_t i = 0; i < plan.bench_count; i++)
		assert_string_equal(plan.bench[i].name, whole.bench[i].name);
}

static void the_documented_plans_parse(void **state)
{
	static char text[PLAN_TEXT_SIZE];
	const char *at = page;
	unsigned count = 0;

	(void)state;
	while ((at = strstr(at, "```plan\n"))) {
		const char *end = strstr(at += strlen("```plan\n"), "```");

		assert_non_null(end);
		assert_in_range(end - at, 1, sizeof(text) - 1);
		memset(text, 0, sizeof(text));
		memcpy(text, at, (size_t)(end - at));
		assert_parses("docs/plans.md", text, sizeof(text));
		count++;
	}
	assert_int_not_equal(count, 0);
}

static void assert_documented(const char *text)
{
	if (!strstr(page, text))
		fail_msg("docs/plans.md does not say: %s", text);
}

/* "off 4K" as `off` `4K` */
static void quote_words(const char *words, char *quoted)
{
	struct word rest = word_from(words);
	struct word word = word_next(&rest);
	const char *separator = "";

	for (*quoted = '\0'; word.length; word = word_next(&rest), separator = " ")
		quoted += sprintf(quoted, "%s`%.*s`", separator, (int)word.length, word.at);
}

static void every_axis_is_documented_with_its_values(void **state)
{
	char row[128], quoted[96];

	(void)state;
#define X(field, words)                                                                            \
	quote_words(words, quoted);                                                                \
	snprintf(row, sizeof(row), "| `" #field "` | %s |", quoted);                               \
	assert_documented(row);
	CONFIG_AXES(X)
#undef X
#define X(field, max)                                                                              \
	snprintf(row, sizeof(row), "| `" #field "` | 0 to %u", max);                               \
	assert_documented(row);
	CONFIG_NUMBERS(X)
#undef X
}

static void every_parameter_is_documented_with_its_range(void **state)
{
	char row[128];

	(void)state;
#define X(field, dflt, min, max)                                                                   \
	snprintf(row, sizeof(row), "| `" #field "` | %u | %u | %u |", dflt, min, max);             \
	assert_documented(row);
	BENCH_PARAMS(X)
#undef X
}

static void every_preset_and_platform_is_documented(void **state)
{
	(void)state;
#define X(text, ...) assert_documented("| `" text "` | `");
	CONFIG_PRESETS(X)
#undef X
#define X(NAME, word) assert_documented(word "`");
	PLATFORMS(X)
#undef X
}

static void the_documented_message_is_the_real_one(void **state)
{
	const char text[] = "config native\nbench b\nconfig a native delay_el2=much\n";
	struct plan_error error;
	char line[PLAN_ERROR_SIZE + 32];

	(void)state;
	assert_false(plan_parse(text, sizeof(text), &plan, &error));
	snprintf(line, sizeof(line), "plan line %u: %s\n", error.line, error.message);
	assert_documented(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shipped_plans_parse_and_fit),
		cmocka_unit_test(the_short_plan_runs_what_the_default_plan_runs),
		cmocka_unit_test(the_documented_plans_parse),
		cmocka_unit_test(every_axis_is_documented_with_its_values),
		cmocka_unit_test(every_parameter_is_documented_with_its_range),
		cmocka_unit_test(every_preset_and_platform_is_documented),
		cmocka_unit_test(the_documented_message_is_the_real_one),
	};

	return cmocka_run_group_tests_name("plan_files", tests, read_page, NULL);
}
