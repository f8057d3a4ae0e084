/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions for the first instructions of every core. */
#pragma once

#include "arch/control.h"

#define BOARD_GEM5_ARMV7 20 /* offset in struct board */

#ifdef __ASSEMBLER__
/* clang-format off */
	.macro	load_address, register, symbol
	movw	\register, #:lower16:\symbol
	movt	\register, #:upper16:\symbol
	.endm
/* clang-format on */
#endif
