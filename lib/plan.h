/* SPDX-License-Identifier: Apache-2.0 */
/* The plan language (docs/plans.md): from text to abi/plan.h's struct plan. */
#pragma once

#include "abi/plan.h"
#include "lib/words.h"

#define PLAN_ERROR_SIZE 256

struct plan_error {
	uint32_t line; /* from 1; of what concerns the plan as a whole, the last line */
	char message[PLAN_ERROR_SIZE]; /* one line of printable ASCII, cut where it is too long */
};

/*
 * Parses a text of at most `size` bytes that a NUL ends; what follows the NUL does not matter.
 * False: *error tells the first mistake, and *plan holds nothing to rely on.
 */
bool plan_parse(const char *text, size_t size, struct plan *plan, struct plan_error *error);

/* The words of the plan language for what a plan says. */
struct word plan_order_word(const struct plan *plan);
struct word plan_platform_word(const struct plan *plan);
