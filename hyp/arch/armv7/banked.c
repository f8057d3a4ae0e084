/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that the guest's mode banks (DDI 0406C B1.3.2): r13 and r14, in FIQ mode r8 to r12 as
 * well. SPSR has the mode. The frame does not hold banked registers. */
#include "arch/trap_frame.h"

#define KEY(mode, n) ((mode) << 4 | (n))

/* Registers 8 to 12 of every mode but FIQ. */
static reg_t *unbanked(struct trap_frame *frame, unsigned n)
{
	return n == 12 ? &frame->r12 : &frame->r4_11[n - 4];
}

reg_t frame_read_banked(const struct trap_frame *frame, unsigned n)
{
	reg_t mode = read_spsr_el2() & PSR_MODE;

	if (n < 13 && mode != PSR_MODE_FIQ)
		return *unbanked((struct trap_frame *)frame, n);
	switch (KEY(mode, n)) {
#define X(name, reset, kind, mode, number)                                                         \
	case KEY(mode, number):                                                                    \
		return read_##name();
		EL1_BANKED_REGS(X)
#undef X
	default:
		return n == 13 ? read_sp_usr() : n == 14 ? frame->lr : 0;
	}
}

void frame_write_banked(struct trap_frame *frame, unsigned n, reg_t value)
{
	reg_t mode = read_spsr_el2() & PSR_MODE;

	if (n < 13 && mode != PSR_MODE_FIQ) {
		*unbanked(frame, n) = value;
		return;
	}
	switch (KEY(mode, n)) {
#define X(name, reset, kind, mode, number)                                                         \
	case KEY(mode, number):                                                                    \
		write_##name(value);                                                               \
		break;
		EL1_BANKED_REGS(X)
#undef X
	default:
		if (n == 13)
			write_sp_usr(value);
		else if (n == 14)
			frame->lr = value;
		break;
	}
}
