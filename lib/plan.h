/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a plan that the host tool compiled (abi/plan.h). */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"

/*
 * True: the section holds an undamaged plan of this version, with every count, index and number in
 * its range, and the memory of an unmodified guest in bounds. False: *why has the first fault.
 */
bool plan_check(const struct plan_section *section, struct text *why);

/* Order and platform of a checked plan, as words of the plan language. */
const char *plan_order_word(const struct plan *plan);
const char *plan_platform_word(const struct plan *plan);
