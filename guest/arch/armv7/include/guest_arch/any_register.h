/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system register of the timers that a guest reaches, by number, for a guest that tries them
 * all: X(name, kind, coprocessor operands). There is no GICv3 here.
 */
#pragma once

#include "guest_arch/ops.h"

/* Who gets the access: ANY_CNTP EL2 with cntp=emulated; the others nobody, as on armv8. */
enum any_kind { ANY_FREE, ANY_CNTP, ANY_SGI, ANY_DIR };

#define ANY_32(X)                                                                                  \
	X(cntv_ctl, ANY_FREE, "p15, 0, %0, c14, c3, 1")                                            \
	X(cntv_tval, ANY_FREE, "p15, 0, %0, c14, c3, 0")                                           \
	X(cntp_ctl, ANY_CNTP, "p15, 0, %0, c14, c2, 1")                                            \
	X(cntp_tval, ANY_CNTP, "p15, 0, %0, c14, c2, 0")                                           \
	X(cntkctl, ANY_FREE, "p15, 0, %0, c14, c1, 0")
#define ANY_64(X)                                                                                  \
	X(cntv_cval, ANY_FREE, "p15, 3, %0, %1, c14")                                              \
	X(cntp_cval, ANY_CNTP, "p15, 2, %0, %1, c14")

enum any_register {
#define X(name, kind, operands) ANY_##name,
	ANY_32(X) ANY_64(X) ANY_TIMERS,
	ANY_REGISTERS = ANY_TIMERS
#undef X
};

static inline enum any_kind any_kind(unsigned which)
{
	static const uint8_t kinds[] = {
#define X(name, kind, operands) kind,
		ANY_32(X) ANY_64(X)
#undef X
	};

	return (enum any_kind)kinds[which];
}

static inline uint64_t any_value(unsigned which, uint64_t value)
{
	(void)which;
	return value;
}

static inline void any_read(unsigned which)
{
	reg_t value, high;

	switch (which) {
#define X(name, kind, operands)                                                                    \
	case ANY_##name:                                                                           \
		__asm__ volatile("mrc " operands : "=r"(value) : : "memory");                      \
		break;
		ANY_32(X)
#undef X
#define X(name, kind, operands)                                                                    \
	case ANY_##name:                                                                           \
		__asm__ volatile("mrrc " operands : "=r"(value), "=r"(high) : : "memory");         \
		break;
		ANY_64(X)
#undef X
	}
}

static inline void any_write(unsigned which, uint64_t value)
{
	reg_t low = (reg_t)value, high = (reg_t)(value >> 32);

	switch (which) {
#define X(name, kind, operands)                                                                    \
	case ANY_##name:                                                                           \
		__asm__ volatile("mcr " operands : : "r"(low) : "memory");                         \
		break;
		ANY_32(X)
#undef X
#define X(name, kind, operands)                                                                    \
	case ANY_##name:                                                                           \
		__asm__ volatile("mcrr " operands : : "r"(low), "r"(high) : "memory");             \
		break;
		ANY_64(X)
#undef X
	}
}
