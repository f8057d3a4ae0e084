/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the PL0 task while the task waits. */
#pragma once

#define TASK_PC 60
#define TASK_PSTATE 64

#ifndef __ASSEMBLER__
#include "arch/types.h"

struct task_frame {
	reg_t r[15]; /* 13 and 14 of User mode: sp, lr */
	reg_t pc;
	reg_t pstate;
};

_Static_assert(offsetof(struct task_frame, r) == 0,
	       "vectors.S loads and stores r0-r14 by ldm, stm");
_Static_assert(offsetof(struct task_frame, pc) == TASK_PC, "and knows this offset");
_Static_assert(offsetof(struct task_frame, pstate) == TASK_PSTATE, "and this one");

#define PSR_USER_MODE 0x10u

/*
 * Prepare a frame that starts at `pc` with `argument` in r0: User mode, ARM code, interrupts
 * unmasked.
 */
static inline void task_frame_init(struct task_frame *frame, reg_t pc, reg_t sp, reg_t argument)
{
	*frame = (struct task_frame){ .r = { [0] = argument, [13] = sp },
				      .pc = pc,
				      .pstate = PSR_USER_MODE };
}
#endif
