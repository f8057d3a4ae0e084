/* SPDX-License-Identifier: Apache-2.0 */
/* ARMv8's part of guest/arch/common/guest_arch.c. */
#pragma once

#include "lib/lpae.h"

#define TCR_BASE 32u /* T0SZ: 32-bit addresses; 32-bit physical ones, too */

/* SCTLR_EL1: the RES1 bits of Armv8.0, and stack alignment checks (SA, SA0) */
#define SCTLR_BASE(old) ((void)(old), 0x30d00800u | 1u << 3 | 1u << 4)

#define TEXT_ATTRIBUTES PTE_XN /* UXN: an EL0 without read access could still execute */

#define CRASH_REGISTERS(X) X("esr", esr_el1) X("far", far_el1)
