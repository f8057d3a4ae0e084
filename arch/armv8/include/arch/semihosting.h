/* SPDX-License-Identifier: Apache-2.0 */
/* Semihosting (Arm semihosting specification 2.0), for machines that have it: ends the emulator. */
#pragma once

#include "arch/types.h"

/* SYS_EXIT with ADP_Stopped_ApplicationExit: the emulator ends with status `code` (0…255). */
static inline void semihosting_exit(unsigned code)
{
	reg_t block[2] = { 0x20026, code };
	register reg_t operation __asm__("x0") = 0x18;
	register reg_t argument __asm__("x1") = (reg_t)block;

	__asm__ volatile("hlt #0xf000" : "+r"(operation) : "r"(argument) : "memory");
}
