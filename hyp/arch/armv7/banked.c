/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that the guest's mode banks (DDI 0406C B1.3.2): r13 and r14, in FIQ mode r8 to r12 as
 * well. SPSR has the mode. The frame does not hold banked registers. */
#include "arch/trap_frame.h"

#define BANKED(X)                                                                                  \
	X(PSR_MODE_SVC, 13, sp_svc)                                                                \
	X(PSR_MODE_SVC, 14, lr_svc)                                                                \
	X(PSR_MODE_ABT, 13, sp_abt)                                                                \
	X(PSR_MODE_ABT, 14, lr_abt)                                                                \
	X(PSR_MODE_UND, 13, sp_und)                                                                \
	X(PSR_MODE_UND, 14, lr_und)                                                                \
	X(PSR_MODE_IRQ, 13, sp_irq)                                                                \
	X(PSR_MODE_IRQ, 14, lr_irq)                                                                \
	X(PSR_MODE_FIQ, 8, r8_fiq)                                                                 \
	X(PSR_MODE_FIQ, 9, r9_fiq)                                                                 \
	X(PSR_MODE_FIQ, 10, r10_fiq)                                                               \
	X(PSR_MODE_FIQ, 11, r11_fiq)                                                               \
	X(PSR_MODE_FIQ, 12, r12_fiq)                                                               \
	X(PSR_MODE_FIQ, 13, sp_fiq)                                                                \
	X(PSR_MODE_FIQ, 14, lr_fiq)

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
#define X(mode, number, name)                                                                      \
	case KEY(mode, number):                                                                    \
		return read_##name();
		BANKED(X)
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
#define X(mode, number, name)                                                                      \
	case KEY(mode, number):                                                                    \
		write_##name(value);                                                               \
		break;
		BANKED(X)
#undef X
	default:
		if (n == 13)
			write_sp_usr(value);
		else if (n == 14)
			frame->lr = value;
		break;
	}
}
