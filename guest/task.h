/* SPDX-License-Identifier: Apache-2.0 */
/* The one EL0 task: it waits; when an interrupt handler wakes it, it stamps the counter and waits
 * again, and the kernel code that the interrupt came upon goes on. */
#pragma once

#include <stdint.h>

/* In memory of the task: it writes, the kernel reads. */
struct task_shared {
	uint64_t stamp; /* CNTPCT, the first thing it does */
	uint32_t count; /* times it ran; written after the stamp */
};

extern volatile struct task_shared task_shared;

/* Once, before the first wake. */
void task_init(void);

/* From an interrupt handler: the interrupt returns to the task. */
void task_wake(void);
