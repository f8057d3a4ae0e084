/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the EL0 task while the task waits. */
#pragma once

#define TASK_X(n) (8 * (n))
#define TASK_SP 248
#define TASK_PC 256
#define TASK_PSTATE 264

#ifndef __ASSEMBLER__
#include "arch/types.h"

struct task_frame {
	reg_t x[31];
	reg_t sp;
	reg_t pc;
	reg_t pstate;
};

_Static_assert(offsetof(struct task_frame, x[30]) == TASK_X(30), "vectors.S knows this offset");
_Static_assert(offsetof(struct task_frame, sp) == TASK_SP, "and this one");
_Static_assert(offsetof(struct task_frame, pc) == TASK_PC, "and this one");
_Static_assert(offsetof(struct task_frame, pstate) == TASK_PSTATE, "and this one");

/*
 * Prepare a frame that starts at `pc` with `argument` in x0: EL0, AArch64, interrupts unmasked
 * (PSTATE 0).
 */
static inline void task_frame_init(struct task_frame *frame, reg_t pc, reg_t sp, reg_t argument)
{
	*frame = (struct task_frame){ .x = { argument }, .sp = sp, .pc = pc };
}
#endif
