/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv7's part of guest/arch/common. */
#pragma once

#include "abi/guest_run.h"
#include "arch/barrier.h"
#include "arch/sysreg.h"

#define CPACR_FP (0xfu << 20) /* cp10 and cp11 at PL1 and PL0 */
#define FPEXC_EN (1u << 30)

/* Let the C library use FP and SIMD registers, if the machine has them. */
static inline void start_fp(const struct guest_run *run)
{
	write_cpacr_el1(read_cpacr_el1() | CPACR_FP);
	isb();
	if (!run->no_fp)
		__asm__ volatile("vmsr fpexc, %0" : : "r"(FPEXC_EN));
}

static inline void start_libc(void)
{
}

#define TCR_BASE (1u << 31) /* TTBCR.EAE; TTBR0 covers all 4 GiB */

/* SCTLR: Z is set; A, V (vectors at 0xffff0000), EE and TE (exceptions big-endian, in Thumb state)
 * and TRE are clear. */
#define SCTLR_BASE(old)                                                                            \
	(((old) & ~(1u << 1 | 1u << 13 | 1u << 25 | 1u << 28 | 1u << 30)) | 1u << 11)

#define TEXT_ATTRIBUTES 0u /* execution needs read access, so EL0 has neither */

#define CRASH_REGISTERS(X)                                                                         \
	X("dfsr", esr_el1) X("dfar", far_el1) X("ifsr", ifsr32_el2) X("ifar", ifar)
