/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL0 code that the kernel calls and that returns by SVC, interrupts masked: one access to a page,
 * between two counter reads. The kernel handles an expected data abort by mapping the page, as
 * demand paging does; any other exception of EL0 is a crash.
 */
#pragma once

#include "arch/types.h"

/* A window's two stamps, CNTPCT as EL0 reads it; in memory of EL0. */
struct el0_window {
	uint64_t from, until;
};

/* From here on EL0 runs by these calls only: never wake the task of guest/kernel/task.h. */
void el0_init(void);

/*
 * Open the window, load a word at `address` (0: no load), spin `delay` instructions (even, or 0),
 * and close the window.
 */
struct el0_window el0_touch(uintptr_t address, reg_t delay);

/* Expect one translation fault of the next call in the page at `page` (a multiple of 4 KiB), and
 * map the page then. A second fault is a crash. */
void el0_expect_fault(uintptr_t page);

/* The number of data aborts handled so far. */
uint32_t el0_fault_count(void);
