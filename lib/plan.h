/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a plan that the host tool compiled (abi/plan.h). */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"
#include "lib/tokens.h"

/*
 * True: the section holds an undamaged plan of this version, with every count, index and number in
 * its range, and the memory of an unmodified guest in bounds. False: *why has the first fault.
 */
bool plan_check(const struct plan_section *section, struct text *why);

/* A plan's order and platform as words of the plan language. */
struct token plan_order_word(const struct plan *plan);
struct token plan_platform_word(const struct plan *plan);
