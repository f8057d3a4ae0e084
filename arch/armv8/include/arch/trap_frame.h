/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers of the guest that an exit saves. A light frame is one cache line: x0-x5 in their
 * places, x16 and x30 in the places of x6 and x7. The hypervisor's C code preserves x19-x29 and
 * never uses x6-x15, x17 and x18 (toolchain.mk). A full frame holds x0-x30, each in its place. ELR,
 * SPSR and ESR stay in the core: EL2 takes no nested exception. x[0] to x[3] are the registers of
 * the SMC Calling Convention, valid in a light frame: a hypercall's id and arguments, and its
 * result in x[0].
 */
#pragma once

#define TRAP_FRAME_SIZE 256
#define TRAP_FRAME_X(n) (8 * (n))
#define TRAP_FRAME_LIGHT TRAP_FRAME_X(6) /* x16 and x30 of a light frame */

#ifndef __ASSEMBLER__
#include "arch/types.h"

struct trap_frame {
	reg_t x[32]; /* x[31] is the zero register of a syndrome: 0 */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct trap_frame) == TRAP_FRAME_SIZE, "vectors.S knows this size");
_Static_assert(offsetof(struct trap_frame, x[30]) == TRAP_FRAME_X(30), "and this offset");

/* Access any register by the number in a syndrome. This needs a full frame. */
static inline reg_t frame_read(const struct trap_frame *frame, reg_t n)
{
	return frame->x[n];
}

static inline void frame_write(struct trap_frame *frame, reg_t n, reg_t value)
{
	frame->x[n] = value;
	frame->x[31] = 0;
}
#endif
