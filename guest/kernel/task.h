/* SPDX-License-Identifier: Apache-2.0 */
/* The one EL0 task. The task waits until an interrupt handler wakes it. The task then stamps the
 * counter and waits again, and the interrupted kernel code continues. */
#pragma once

#include <stdint.h>

/* Memory of the task: the task writes, the kernel reads. */
struct task_shared {
	uint64_t stamp; /* CNTPCT, read first by the task */
	uint32_t count; /* number of wake-ups; written after the stamp */
};

extern volatile struct task_shared task_shared;

/* Call once, before the first wake-up. */
void task_init(void);

/* Wake the task from an interrupt handler: the interrupt returns to the task. */
void task_wake(void);
