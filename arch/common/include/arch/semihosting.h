/* SPDX-License-Identifier: Apache-2.0 */
/* Semihosting (Arm semihosting specification 2.0): a call to the machine's emulator. */
#pragma once

#include "arch/isa.h"
#include "arch/types.h"

/* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit: the emulator ends with status `code`
 * (0…255). AArch32's plain SYS_EXIT has no status. */
static inline void semihosting_exit(unsigned code)
{
	reg_t block[2] = { 0x20026, code };
	register reg_t operation __asm__("r0") = 0x20;
	register reg_t argument __asm__("r1") = (reg_t)block;

	__asm__ volatile(SEMIHOSTING_CALL : "+r"(operation) : "r"(argument) : "memory");
}
