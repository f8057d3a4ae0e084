/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that the guest's mode banks (DDI 0406C B1.3.2): r13 and r14, and in FIQ mode also r8 to
 * r12. SPSR has the mode. The frame does not hold banked registers. */
#include "arch/trap_frame.h"
#include "lib/compiler.h"

#define KEY(mode, n) ((mode) << 4 | (n))

/* Registers 8 to 12 of every mode but FIQ are in the frame. */
static reg_t *unbanked(const struct trap_frame *frame, unsigned n)
{
	if (n > 12 || (read_spsr_el2() & PSR_MODE) == PSR_MODE_FIQ)
		return NULL;
	return (reg_t *)(n == 12 ? &frame->r12 : &frame->r4_11[n - 4]);
}

/*
 * Access a register that the frame does not hold: write the value if `write`, and return the
 * register's value.
 */
static __cold reg_t access_banked(reg_t *lr, unsigned n, bool write, reg_t value)
{
	switch (KEY(read_spsr_el2() & PSR_MODE, n)) {
#define X(name, reset, kind, mode, number)                                                         \
	case KEY(mode, number):                                                                    \
		if (write)                                                                         \
			write_##name(value);                                                       \
		return read_##name();
		EL1_BANKED_REGS(X)
#undef X
	}
	if (n == 13 && write)
		write_sp_usr(value);
	if (n == 14 && write)
		*lr = value;
	return n == 13 ? read_sp_usr() : n == 14 ? *lr : 0;
}

reg_t frame_read_banked(const struct trap_frame *frame, unsigned n)
{
	reg_t *saved = unbanked(frame, n);

	return saved ? *saved : access_banked((reg_t *)&frame->lr, n, false, 0);
}

void frame_write_banked(struct trap_frame *frame, unsigned n, reg_t value)
{
	reg_t *saved = unbanked(frame, n);

	if (saved)
		*saved = value;
	else
		access_banked(&frame->lr, n, true, value);
}
