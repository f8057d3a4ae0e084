/* SPDX-License-Identifier: Apache-2.0 */
/* The FP and SIMD registers of a vCPU while its core does not hold them. hyp/arch/armv8/fp.S needs
 * the status first, so that one base register reaches all members. */
#pragma once

#define FP_CONTEXT_REGISTERS 16

#ifndef __ASSEMBLER__
#include "arch/types.h"

struct fp_context {
	uint64_t fpcr;
	uint64_t fpsr;
	uint64_t v[32][2];
} __attribute__((aligned(16)));

_Static_assert(offsetof(struct fp_context, v) == FP_CONTEXT_REGISTERS, "fp.S knows this offset");
#endif
