/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a plan that the host tool compiled (abi/plan.h). */
#pragma once

#include "abi/plan.h"
#include "lib/text.h"
#include "lib/tokens.h"

/*
 * True: the section holds a plan of this version, undamaged, with every count, index and number in
 * its range, the memory of unmodified guests in bounds, and VMs that EL2 can run. False: *why has
 * the first fault.
 */
bool plan_check(const struct plan_section *section, struct text *why);

/* Of a plan that was checked: the VM with the benchmarks, or else the first; the VM that keeps its
 * core busy, or NULL. */
const struct plan_vm *plan_measured(const struct plan *plan);
const struct plan_vm *plan_background(const struct plan *plan);

/* The unmodified guest of `vm`, with the VM's vCPUs and RAM. */
struct plan_guest plan_guest_of(const struct plan *plan, const struct plan_vm *vm);

/* The words of the plan language for what a plan says. */
struct token plan_order_word(const struct plan *plan);
struct token plan_platform_word(const struct plan *plan);
