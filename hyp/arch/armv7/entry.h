/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the first instructions of every core. */
#pragma once

/* SCTLR and HSCTLR (DDI 0406C B4.1.130, B4.1.75) */
#define SCTLR_V (1 << 13)  /* vectors at 0xffff0000 */
#define SCTLR_EE (1 << 25) /* exceptions big-endian */
#define SCTLR_TE (1 << 30) /* exceptions in Thumb state */

/* Their reset values on Cortex-A15 (DDI 0438 4.3.27): M, C, I, V, EE, TE and WXN are 0. */
#define SCTLR_OFF 0x00c50078
#define HSCTLR_OFF 0x30c50878

#define BOARD_GEM5_ARMV7 20 /* in struct board */

#ifdef __ASSEMBLER__
/* clang-format off */
	.macro	load_address, register, symbol
	movw	\register, #:lower16:\symbol
	movt	\register, #:upper16:\symbol
	.endm
/* clang-format on */
#endif
