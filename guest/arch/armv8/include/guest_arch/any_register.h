/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system register of the timers and of the GICv3 CPU interface that a guest reaches, by
 * number, for a guest that tries them all: X(name, kind). Reads of what can only be written, and
 * the reverse, are undefined.
 */
#pragma once

#include "guest_arch/ops.h"

/* Who gets the access: ANY_SGI always EL2, where interrupts are trapped; ANY_CNTP EL2 with
 * cntp=emulated; ANY_DIR EL2 while something is active in no list register; the others nobody. */
enum any_kind { ANY_FREE, ANY_CNTP, ANY_SGI, ANY_DIR };

#define ANY_TIMER(X)                                                                               \
	X(cntv_ctl_el0, ANY_FREE)                                                                  \
	X(cntv_cval_el0, ANY_FREE)                                                                 \
	X(cntv_tval_el0, ANY_FREE)                                                                 \
	X(cntp_ctl_el0, ANY_CNTP)                                                                  \
	X(cntp_cval_el0, ANY_CNTP)                                                                 \
	X(cntp_tval_el0, ANY_CNTP)                                                                 \
	X(cntkctl_el1, ANY_FREE)

/* IHI 0069 12.2: PMR, IAR0, EOIR0, HPPIR0, BPR0, AP0R0, AP1R0, DIR, RPR, SGI1R, ASGI1R, SGI0R,
 * IAR1, EOIR1, HPPIR1, BPR1, CTLR, SRE, IGRPEN0, IGRPEN1 */
#define ANY_ICC(X)                                                                                 \
	X(s3_0_c4_c6_0, ANY_FREE)                                                                  \
	X(s3_0_c12_c8_0, ANY_FREE)                                                                 \
	X(s3_0_c12_c8_1, ANY_FREE)                                                                 \
	X(s3_0_c12_c8_2, ANY_FREE)                                                                 \
	X(s3_0_c12_c8_3, ANY_FREE)                                                                 \
	X(s3_0_c12_c8_4, ANY_FREE)                                                                 \
	X(s3_0_c12_c9_0, ANY_FREE)                                                                 \
	X(s3_0_c12_c11_1, ANY_DIR)                                                                 \
	X(s3_0_c12_c11_3, ANY_FREE)                                                                \
	X(s3_0_c12_c11_5, ANY_SGI)                                                                 \
	X(s3_0_c12_c11_6, ANY_SGI)                                                                 \
	X(s3_0_c12_c11_7, ANY_SGI)                                                                 \
	X(s3_0_c12_c12_0, ANY_FREE)                                                                \
	X(s3_0_c12_c12_1, ANY_FREE)                                                                \
	X(s3_0_c12_c12_2, ANY_FREE)                                                                \
	X(s3_0_c12_c12_3, ANY_FREE)                                                                \
	X(s3_0_c12_c12_4, ANY_FREE)                                                                \
	X(s3_0_c12_c12_5, ANY_FREE)                                                                \
	X(s3_0_c12_c12_6, ANY_FREE)                                                                \
	X(s3_0_c12_c12_7, ANY_FREE)

enum any_register {
#define X(name, kind) ANY_##name,
	ANY_TIMER(X) ANY_TIMERS,
	ANY_BEFORE_ICC = ANY_TIMERS - 1,
	ANY_ICC(X) ANY_REGISTERS
#undef X
};

static inline enum any_kind any_kind(unsigned which)
{
	static const uint8_t kinds[] = {
#define X(name, kind) kind,
		ANY_TIMER(X) ANY_ICC(X)
#undef X
	};

	return (enum any_kind)kinds[which];
}

/* What can be written there. QEMU (10.0) ends with a failed assertion once the three bits of BPR1
 * are 0, which it lets come of a larger value. */
static inline uint64_t any_value(unsigned which, uint64_t value)
{
	return which == ANY_s3_0_c12_c12_3 ? value & 7 : value;
}

static inline void any_read(unsigned which)
{
	reg_t value;

	switch (which) {
#define X(name, kind)                                                                              \
	case ANY_##name:                                                                           \
		__asm__ volatile("mrs %0, " #name : "=r"(value) : : "memory");                     \
		break;
		ANY_TIMER(X)
		ANY_ICC(X)
#undef X
	}
}

static inline void any_write(unsigned which, uint64_t value)
{
	switch (which) {
#define X(name, kind)                                                                              \
	case ANY_##name:                                                                           \
		__asm__ volatile("msr " #name ", %0" : : "r"(value) : "memory");                   \
		break;
		ANY_TIMER(X)
		ANY_ICC(X)
#undef X
	}
}
