/* SPDX-License-Identifier: Apache-2.0 */
/* EL2 refuses a compiled plan of another version, or a damaged one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/crc32.h"
#include "lib/plan.h"
#include "tests/unit/unit.h"

static struct plan_section *section; /* on the heap, where the sanitizer sees a step beyond */
static struct plan *plan;
static char why[128];

static void seal(void)
{
	section->crc = crc32_update(0, plan, sizeof(*plan));
}

static bool check(void)
{
	struct text text;

	text_init(&text, why, sizeof(why));
	return plan_check(section, &text);
}

/* With a CRC that is right. */
static void assert_refused(const char *expected)
{
	seal();
	assert_false(check());
	assert_string_equal(why, expected);
}

static void fill(void)
{
	memset(section, 0, sizeof(*section));
	memcpy(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic));
	section->version = PLAN_VERSION;
	section->length = sizeof(*plan);
	seal();
}

static void setup(void)
{
	section = malloc(sizeof(*section));
	plan = &section->plan;
	fill();
}

static void teardown(void)
{
	free(section);
}

EACH_TEST(setup, teardown);

TEST(a_full_plan_is_taken)
{
	assert_true(check());
	assert_string_equal(why, "");
}

TEST(a_header_that_is_wrong)
{
	char expected[64];

	section->magic[14] ^= 1;
	assert_refused("the plan section's magic is not HYPBENCH-PLAN-B");
	fill();
	section->version = PLAN_VERSION + 1;
	snprintf(expected, sizeof(expected), "version %u; valid: %u", PLAN_VERSION + 1,
		 PLAN_VERSION);
	assert_refused(expected);
	fill();
	section->length--;
	snprintf(expected, sizeof(expected), "length %zu; valid: %zu", sizeof(*plan) - 1,
		 sizeof(*plan));
	assert_refused(expected);
	fill();
	section->crc ^= 1;
	assert_false(check());
	assert_string_equal(why, "wrong CRC-32: the plan is damaged or cut");
}

/* Every byte that a cut leaves out, or that changes, is found. */
TEST(a_byte_that_changed)
{
	plan->words[0] = 'x';
	seal();
	for (size_t i = 0; i < sizeof(*section); i++) {
		((uint8_t *)section)[i] ^= 0x41;
		assert_false(check());
		((uint8_t *)section)[i] ^= 0x41;
	}
	assert_true(check());
	memset(&plan->words, 0, sizeof(*section) - offsetof(struct plan_section, plan.words));
	assert_false(check());
}
