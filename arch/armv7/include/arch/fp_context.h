/* SPDX-License-Identifier: Apache-2.0 */
/* The VFP and Advanced SIMD registers of a vCPU while its core does not hold them.
 * hyp/arch/armv7/fp.S needs the status after the registers. */
#pragma once

#define FPEXC_EN (1 << 30)

#ifndef __ASSEMBLER__
#include "arch/types.h"

struct fp_context {
	uint64_t d[32];
	uint32_t fpscr;
	uint32_t fpexc;
} __attribute__((aligned(16)));

_Static_assert(offsetof(struct fp_context, fpscr) == 256, "for fp.S it follows d");
#endif
