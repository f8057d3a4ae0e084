/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL0 code that the kernel calls and that returns by SVC, interrupts masked: one access to a page,
 * between two counter reads. A data abort of it at the page where one is expected is handled as a
 * kernel would that fills memory in on demand; any other exception of it is a crash.
 */
#pragma once

#include "arch/types.h"

/* A window's two stamps, CNTPCT as EL0 reads it; in memory of EL0. */
struct el0_window {
	uint64_t from, until;
};

/* From here on EL0 runs by these calls only, and the task of guest/task.h must not be woken. */
void el0_init(void);

/*
 * Opens the window, loads a word at `address`, spins `delay` instructions (even; 0: not one), and
 * closes it. address 0: no load.
 */
struct el0_window el0_touch(uintptr_t address, reg_t delay);

/* The next call's data abort, a translation fault in the page at `page` (a multiple of 4 KiB), maps
 * it. Once: a second one is a crash. */
void el0_expect_fault(uintptr_t page);

/* Data aborts that were handled so, so far. */
uint32_t el0_fault_count(void);
