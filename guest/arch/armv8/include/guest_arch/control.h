/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv8's part of guest/arch/common. */
#pragma once

#include "abi/guest_run.h"
#include "arch/sysreg.h"
#include "lib/lpae.h"

#define CPACR_FPEN (3u << 20) /* at EL1 and EL0 */

/* Let the C library use FP and SIMD registers. */
static inline void start_fp(const struct guest_run *run)
{
	(void)run;
	write_cpacr_el1(CPACR_FPEN);
}

/* Set the place of errno: 16 bytes come before the first variable. */
static inline void start_libc(void)
{
	extern char __tls_base[];

	write_tpidr_el0((reg_t)__tls_base - 16);
}

#define TCR_BASE 32u /* T0SZ: 32-bit virtual addresses; physical addresses also have 32 bits */

/* SCTLR_EL1: the RES1 bits of Armv8.0, and stack alignment checks (SA, SA0) */
#define SCTLR_BASE(old) ((void)(old), 0x30d00800u | 1u << 3 | 1u << 4)

#define TEXT_ATTRIBUTES PTE_XN /* UXN: without it EL0 could execute code that it cannot read */

#define CRASH_REGISTERS(X) X("esr", esr_el1) X("far", far_el1)
