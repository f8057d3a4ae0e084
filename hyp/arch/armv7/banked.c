/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that the guest's mode banks: r13 and r14, in FIQ mode r8 to r12 as well. SPSR has the
 * mode. The frame does not hold banked registers. */
#include "arch/trap_frame.h"
#include "lib/compiler.h"

#define KEY(mode, n) ((mode) << 4 | (n))

/* Register n, 8 to 15, after `value` is written there, if that is not NULL. */
static reg_t banked(struct trap_frame *frame, unsigned n, const reg_t *value)
{
	reg_t *in_frame;

	switch (KEY(read_spsr_el2() & PSR_MODE, n)) {
#define X(name, reset, kind, mode, number)                                                         \
	case KEY(mode, number):                                                                    \
		if (value)                                                                         \
			write_##name(*value);                                                      \
		return read_##name();
		EL1_BANKED_REGS(X)
#undef X
	}
	if (n == 15)
		return 0;
	if (n == 13 && value)
		write_sp_usr(*value);
	if (n == 13)
		return read_sp_usr();
	in_frame = n == 14 ? &frame->lr : n == 12 ? &frame->r12 : &frame->r4_11[n - 4];
	if (value)
		*in_frame = *value;
	return *in_frame;
}

__cold reg_t frame_read_banked(const struct trap_frame *frame, unsigned n)
{
	return banked((struct trap_frame *)frame, n, NULL);
}

__cold void frame_write_banked(struct trap_frame *frame, unsigned n, reg_t value)
{
	banked(frame, n, &value);
}
