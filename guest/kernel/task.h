/* SPDX-License-Identifier: Apache-2.0 */
/* The one EL0 task waits. When an interrupt handler wakes the task, the task stamps the counter and
 * waits again, and the interrupted kernel code goes on. */
#pragma once

#include <stdint.h>

/* In memory of the task, which writes; the kernel reads. */
struct task_shared {
	uint64_t stamp; /* CNTPCT, read first */
	uint32_t count; /* times it ran; written after the stamp */
};

extern volatile struct task_shared task_shared;

/* Once, before the first wake. */
void task_init(void);

/* From an interrupt handler: the interrupt returns to the task. */
void task_wake(void);
