/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/kernel/task.h"

#include "guest_arch/task_frame.h"

#define TASK_STACK_SIZE 1024u

extern char task_el0_entry[];
extern struct task_frame task_frame, *task_ready; /* vectors.S uses these names */

__attribute__((section(".bss.el0"))) volatile struct task_shared task_shared;
__attribute__((section(".bss.el0"), aligned(16))) static uint8_t task_stack[TASK_STACK_SIZE];

_Static_assert(offsetof(struct task_shared, count) == 8, "the task's code knows this offset");

struct task_frame task_frame;  /* the task's registers while the task waits */
struct task_frame *task_ready; /* the task to run when the current interrupt ends */

void task_init(void)
{
	task_frame_init(&task_frame, (reg_t)task_el0_entry, (reg_t)(task_stack + TASK_STACK_SIZE),
			(reg_t)&task_shared);
}

void task_wake(void)
{
	task_ready = &task_frame;
}
