/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Define read_<name>() and write_<name>(value) of a system register, each by one instruction on %0.
 */
#pragma once

#include "arch/types.h"

#define ACCESSOR_READ(name, type, instruction)                                                     \
	static inline type read_##name(void)                                                       \
	{                                                                                          \
		type value;                                                                        \
		__asm__ volatile(instruction : "=r"(value));                                       \
		return value;                                                                      \
	}
#define ACCESSOR_WRITE(name, type, instruction)                                                    \
	static inline void write_##name(type value)                                                \
	{                                                                                          \
		__asm__ volatile(instruction : : "r"(value) : "memory");                           \
	}
