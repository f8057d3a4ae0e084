/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that the guest's mode has of its own (DDI 0406C B1.3.2): r13 and r14, in FIQ mode r8
 * to r12 as well. The mode is in SPSR; its registers are not in the frame but in the core. */
#include "arch/trap_frame.h"

/* Modes that bank r13 and r14 alone. */
#define SP_LR_MODES(X) X(SVC, svc) X(ABT, abt) X(UND, und) X(IRQ, irq)

#define FIQ_REGS(X)                                                                                \
	X(8, r8_fiq)                                                                               \
	X(9, r9_fiq)                                                                               \
	X(10, r10_fiq)                                                                             \
	X(11, r11_fiq)                                                                             \
	X(12, r12_fiq)                                                                             \
	X(13, sp_fiq)                                                                              \
	X(14, lr_fiq)

static reg_t guest_mode(void)
{
	return read_spsr_el2() & PSR_MODE;
}

static reg_t fiq_read(unsigned n)
{
	switch (n) {
#define X(number, name)                                                                            \
	case number:                                                                               \
		return read_##name();
		FIQ_REGS(X)
#undef X
	default:
		return 0;
	}
}

static void fiq_write(unsigned n, reg_t value)
{
	switch (n) {
#define X(number, name)                                                                            \
	case number:                                                                               \
		write_##name(value);                                                               \
		break;
		FIQ_REGS(X)
#undef X
	default:
		break;
	}
}

static reg_t sp_read(void)
{
	switch (guest_mode()) {
#define X(MODE, mode)                                                                              \
	case PSR_MODE_##MODE:                                                                      \
		return read_sp_##mode();
		SP_LR_MODES(X)
#undef X
	default:
		return read_sp_usr();
	}
}

static void sp_write(reg_t value)
{
	switch (guest_mode()) {
#define X(MODE, mode)                                                                              \
	case PSR_MODE_##MODE:                                                                      \
		write_sp_##mode(value);                                                            \
		break;
		SP_LR_MODES(X)
#undef X
	default:
		write_sp_usr(value);
		break;
	}
}

static reg_t lr_read(const struct trap_frame *frame)
{
	switch (guest_mode()) {
#define X(MODE, mode)                                                                              \
	case PSR_MODE_##MODE:                                                                      \
		return read_lr_##mode();
		SP_LR_MODES(X)
#undef X
	default:
		return frame->lr;
	}
}

static void lr_write(struct trap_frame *frame, reg_t value)
{
	switch (guest_mode()) {
#define X(MODE, mode)                                                                              \
	case PSR_MODE_##MODE:                                                                      \
		write_lr_##mode(value);                                                            \
		break;
		SP_LR_MODES(X)
#undef X
	default:
		frame->lr = value;
		break;
	}
}

reg_t frame_read_banked(const struct trap_frame *frame, unsigned n)
{
	if (guest_mode() == PSR_MODE_FIQ)
		return fiq_read(n);
	switch (n) {
	case 12:
		return frame->r12;
	case 13:
		return sp_read();
	case 14:
		return lr_read(frame);
	default:
		return n < 12 ? frame->r4_11[n - 4] : 0;
	}
}

void frame_write_banked(struct trap_frame *frame, unsigned n, reg_t value)
{
	if (guest_mode() == PSR_MODE_FIQ) {
		fiq_write(n, value);
		return;
	}
	switch (n) {
	case 12:
		frame->r12 = value;
		break;
	case 13:
		sp_write(value);
		break;
	case 14:
		lr_write(frame, value);
		break;
	default:
		if (n < 12)
			frame->r4_11[n - 4] = value;
		break;
	}
}
