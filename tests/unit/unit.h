/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros of the unit tests: TEST(name) defines a test and registers it, so no list of tests is kept
 * by hand. unit.c runs the tests of a program in the order in which they stand in the source.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit_test {
	const char *file, *name; /* NULL if the entry holds the fixtures of the tests that follow */
	unsigned line;
	void (*run)(void), (*before)(void), (*after)(void);
};

#define UNIT_ENTRY(entry, ...)                                                                     \
	static const struct unit_test entry = { .file = __FILE__, .line = __LINE__, __VA_ARGS__ }; \
	static const struct unit_test *entry##_listed                                              \
		__attribute__((section("unit_tests"), used)) = &entry

/* Define a test that runs between these two functions instead of those of EACH_TEST(). */
#define TEST_WITH(test, before_it, after_it)                                                       \
	static void test(void);                                                                    \
	UNIT_ENTRY(test##_test, .name = #test, .run = test, .before = before_it,                   \
		   .after = after_it);                                                             \
	static void test(void)

/* Define a test. */
#define TEST(test)                                                                                 \
	static void test(void);                                                                    \
	UNIT_ENTRY(test##_test, .name = #test, .run = test);                                       \
	static void test(void)

/* Each TEST() that follows in the file runs between these two functions. NULL means no function. */
#define EACH_TEST(before_it, after_it) UNIT_ENTRY(each_test, .before = before_it, .after = after_it)

/* Return the number in the environment variable `name`, or `otherwise` if it is not set. */
uint64_t from_environment(const char *name, uint64_t otherwise);
