/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every system register of the timers, and on ARMv8 of the GICv3 CPU interface, that a guest can
 * access, by number, for a guest that tries them all. ANY_TIMER and ANY_ICC of any_list.h are
 * X(name, kind, read, write). Reads of a write-only register and writes of a read-only register are
 * undefined.
 */
#pragma once

#include "guest_arch/ops.h"

/* The level that handles the access. ANY_SGI: always EL2 if interrupts trap. ANY_CNTP: EL2 with
 * cntp=emulated. ANY_DIR: EL2 while no list register has some active interrupt. ANY_FREE: EL1. */
enum any_kind { ANY_FREE, ANY_CNTP, ANY_SGI, ANY_DIR };

#include "guest_arch/any_list.h"

enum any_register {
#define X(name, kind, read, write) ANY_##name,
	ANY_TIMER(X) ANY_TIMERS,
	ANY_BEFORE_ICC = ANY_TIMERS - 1,
	ANY_ICC(X) ANY_REGISTERS
#undef X
};

static inline enum any_kind any_kind(unsigned which)
{
	static const uint8_t kinds[] = {
#define X(name, kind, read, write) kind,
		ANY_TIMER(X) ANY_ICC(X)
#undef X
	};

	return (enum any_kind)kinds[which];
}

/* Return the bits of `value` that can be written to the register. */
static inline uint64_t any_value(unsigned which, uint64_t value)
{
	return which == ANY_3_BITS ? value & 7 : value;
}

static inline void any_read(unsigned which)
{
	reg_t low, high; /* one register, or the two registers of an MRRC */

	switch (which) {
#define X(name, kind, read, write)                                                                 \
	case ANY_##name:                                                                           \
		__asm__ volatile(read : "=r"(low), "=r"(high) : : "memory");                       \
		break;
		ANY_TIMER(X)
		ANY_ICC(X)
#undef X
	}
}

static inline void any_write(unsigned which, uint64_t value)
{
	reg_t low = (reg_t)value, high = (reg_t)(value >> 32);

	switch (which) {
#define X(name, kind, read, write)                                                                 \
	case ANY_##name:                                                                           \
		__asm__ volatile(write : : "r"(low), "r"(high) : "memory");                        \
		break;
		ANY_TIMER(X)
		ANY_ICC(X)
#undef X
	}
}
