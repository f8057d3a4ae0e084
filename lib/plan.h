/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a plan that the host tool compiled (abi/plan.h). */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"

/*
 * Return whether the section holds an undamaged plan of this version, in which every count, index
 * and value is within its bounds, every name ends, and no configuration's VMs have more RAM than
 * ram_mib. Otherwise write the fault to *why. The host tool has checked that the plan makes sense,
 * and no guest can write the section.
 */
bool plan_check(const struct plan_section *section, struct text *why);
