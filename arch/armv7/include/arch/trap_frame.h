/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the guest that an exit saves. A light frame holds r0-r3, r12 and lr, and its
 * other members are stale: the hypervisor's C code preserves r4-r11. A full frame holds r0-r12 and
 * lr. The light part comes first, and in guest context SP_hyp points to its end, so that one PUSH
 * saves it and sp then points to the frame. lr is User mode's lr, which HYP mode shares (DDI 0406C
 * B1.3.2). Registers that other modes bank, and ELR, SPSR and HSR, stay in the core: the hypervisor
 * takes no nested exception. x[0] to x[3] are the registers of the SMC Calling Convention, as on
 * ARMv8. */
#pragma once

#define TRAP_FRAME_SIZE 56
#define TRAP_FRAME_LIGHT_SIZE 24

#ifndef __ASSEMBLER__
#include "arch/psr.h"
#include "arch/sysreg.h"

struct trap_frame {
	reg_t x[4]; /* r0-r3 */
	reg_t r12;
	reg_t lr;
	reg_t r4_11[8];
};

_Static_assert(sizeof(struct trap_frame) == TRAP_FRAME_SIZE, "vectors.S knows this size");
_Static_assert(TRAP_FRAME_SIZE % 8 == 0 && TRAP_FRAME_LIGHT_SIZE % 8 == 0, "the stack's alignment");
_Static_assert(offsetof(struct trap_frame, r12) == 16, "one PUSH of r0-r3, r12, lr");
_Static_assert(offsetof(struct trap_frame, r4_11) == TRAP_FRAME_LIGHT_SIZE, "then the rest");

/* Registers 8 to 15, which the guest's mode may bank (hyp/arch/armv7/banked.c). */
reg_t frame_read_banked(const struct trap_frame *frame, unsigned n);
void frame_write_banked(struct trap_frame *frame, unsigned n, reg_t value);

/* Access any register by the number in a syndrome, as the guest's mode sees it. This needs a full
 * frame. No syndrome names r15, which reads as zero. */
static inline reg_t frame_read(const struct trap_frame *frame, unsigned n)
{
	if (n < 4)
		return frame->x[n];
	return n < 8 ? frame->r4_11[n - 4] : frame_read_banked(frame, n);
}

static inline void frame_write(struct trap_frame *frame, unsigned n, reg_t value)
{
	if (n < 4)
		frame->x[n] = value;
	else if (n < 8)
		frame->r4_11[n - 4] = value;
	else
		frame_write_banked(frame, n, value);
}
#endif
