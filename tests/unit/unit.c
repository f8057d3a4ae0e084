/* SPDX-License-Identifier: Apache-2.0 */
/* The main function of every unit-test program. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define TESTS_MAX 200u

extern const struct unit_test *__start_unit_tests[], *__stop_unit_tests[];

static struct unit_test chosen[TESTS_MAX];
static struct CMUnitTest tests[TESTS_MAX];

uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

/* An assertion in a fixture fails the test. */
static void run(void **state)
{
	const struct unit_test *test = *state;

	if (test->before)
		test->before();
	test->run();
	if (test->after)
		test->after();
}

static int in_order(const void *a, const void *b)
{
	const struct unit_test *first = *(const struct unit_test *const *)a;
	const struct unit_test *second = *(const struct unit_test *const *)b;
	int files = strcmp(first->file, second->file);

	if (files)
		return files;
	return first->line < second->line ? -1 : first->line > second->line;
}

/* Return the number of tests. */
static size_t choose(void)
{
	const struct unit_test *each = NULL;
	size_t count = 0;

	for (const struct unit_test **entry = __start_unit_tests; entry < __stop_unit_tests;
	     entry++) {
		struct unit_test *test = &chosen[count];

		if (!(*entry)->name) {
			each = *entry;
			continue;
		}
		if (count == TESTS_MAX)
			abort();
		*test = **entry;
		if (!test->before && !test->after && each && !strcmp(each->file, test->file)) {
			test->before = each->before;
			test->after = each->after;
		}
		tests[count++] = (struct CMUnitTest){ test->name, run, NULL, NULL, test };
	}
	return count;
}

/* Run all tests, or only those whose names match the pattern in argv[1]. */
int main(int argc, char **argv)
{
	size_t entries = (size_t)(__stop_unit_tests - __start_unit_tests);

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	qsort(__start_unit_tests, entries, sizeof(*__start_unit_tests), in_order);
	return _cmocka_run_group_tests(argv[0], tests, choose(), NULL, NULL);
}
