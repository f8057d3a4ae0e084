/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the plan parser: what a text is parsed to, and with which message it is not. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/plan.h"

static struct plan plan;
static struct plan_error error;

static inline bool parse(const char *text)
{
	return plan_parse(text, strlen(text) + 1, &plan, &error);
}

static inline void assert_parses(const char *text)
{
	if (!parse(text))
		fail_msg("line %u: %s", error.line, error.message);
}

static inline void assert_error(const char *text, uint32_t line, const char *message)
{
	assert_false(parse(text));
	assert_string_equal(error.message, message);
	assert_int_equal(error.line, line);
}
