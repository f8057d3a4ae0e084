/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a plan that the host tool compiled (abi/plan.h). */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"

/*
 * True: the section holds a plan of this version, undamaged. The host tool has checked what the
 * plan says, and no guest can write it. False: *why has the fault.
 */
bool plan_check(const struct plan_section *section, struct text *why);
