/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EL0 code that the kernel calls and that returns by SVC. The code accesses one page between two
 * counter reads, with interrupts masked. The kernel handles an expected data abort by mapping the
 * page, as demand paging does; every other exception of EL0 is a crash.
 */
#pragma once

#include "arch/types.h"

/* The two stamps of a window: CNTPCT as EL0 reads it. The struct lies in EL0's memory. */
struct el0_window {
	uint64_t from, until;
};

/* Prepare EL0 for these calls. The task of guest/kernel/task.h must not be woken afterwards. */
void el0_init(void);

/*
 * Open the window, load a word at `address` (0: load nothing), spin `delay` instructions (an even
 * number, or 0), and close the window.
 */
struct el0_window el0_touch(uintptr_t address, reg_t delay);

/* Expect one translation fault of the next call in the page at `page` (a multiple of 4 KiB). The
 * fault handler maps the page. A second fault is a crash. */
void el0_expect_fault(uintptr_t page);

/* Return the number of data aborts handled so far. */
uint32_t el0_fault_count(void);
