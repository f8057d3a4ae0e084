/* SPDX-License-Identifier: Apache-2.0 */
/* System registers as variables: read_<name>(), write_<name>() and, for a test, fake_<name>. The
 * names, and which of them can be written, are those of arch/armv8 (see unit.mk). */
#pragma once

#include "arch/types.h"

reg_t fake_sysreg_read(reg_t *variable);
void fake_sysreg_write(reg_t *variable, reg_t value);

#define SYSREG_READ(name)                                                                          \
	extern reg_t fake_##name;                                                                  \
	static inline reg_t read_##name(void)                                                      \
	{                                                                                          \
		return fake_sysreg_read(&fake_##name);                                             \
	}
#define SYSREG_WRITE(name)                                                                         \
	extern reg_t fake_##name;                                                                  \
	static inline void write_##name(reg_t value)                                               \
	{                                                                                          \
		fake_sysreg_write(&fake_##name, value);                                            \
	}
#define SYSREG(name)                                                                               \
	SYSREG_READ(name)                                                                          \
	SYSREG_WRITE(name)

#include "arch/armv8/include/arch/newer_regs.h"
#include "generated/el1_regs.inc"
#include "generated/newer_regs.inc"
#include "generated/sysreg.inc"
