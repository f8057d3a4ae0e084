/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first instructions: from whatever a boot loader left on to C in HYP mode with translation
 * and caches off. In another mode there is nothing to run on, but C still says so.
 */
#include "arch/psr.h"
#include "hyp/boot_state.h"

	.arch	armv7ve
	.arm

#define HSCTLR_OFF 0x30c50878 /* its reset value on Cortex-A15: M, C, I, WXN, TE, EE 0 */

	.macro	load_address, register, symbol
	movw	\register, #:lower16:\symbol
	movt	\register, #:upper16:\symbol
	.endm

	.section .text.start, "ax"
	.global _start
_start:
	mrs	r8, cpsr			/* r4 to r11: struct boot_state */
	cpsid	aif
	mrrc	p15, 0, r4, r5, c14		/* CNTPCT */
	mov	r6, r2
	mov	r7, #ENTRY_EL1
	mov	r9, #0
	mov	r10, #0
	and	r0, r8, #PSR_MODE
	cmp	r0, #PSR_MODE_MON
	moveq	r7, #ENTRY_EL3
	cmp	r0, #PSR_MODE_HYP
	bne	clear_bss
	mov	r7, #ENTRY_EL2
	mrc	p15, 4, r9, c1, c0, 0		/* HSCTLR */
	mrc	p15, 4, r10, c1, c1, 0		/* HCR */

	/* Our own lines may be dirty in a cache that a loader left on: to memory with them, before
	   the cache goes off. With the cache off already this is harmless. */
	mrc	p15, 0, r3, c0, c0, 1		/* CTR */
	ubfx	r3, r3, #16, #4
	mov	r2, #4
	lsl	r2, r2, r3			/* bytes in the smallest data cache line */
	load_address r0, __image_start
	load_address r1, __image_end
1:	mcr	p15, 0, r0, c7, c14, 1		/* DCCIMVAC */
	add	r0, r0, r2
	cmp	r0, r1
	blo	1b
	dsb	sy

	movw	r0, #(HSCTLR_OFF & 0xffff)
	movt	r0, #(HSCTLR_OFF >> 16)
	mcr	p15, 4, r0, c1, c0, 0		/* HSCTLR */
	isb
	mov	r0, #0
	mcr	p15, 0, r0, c7, c5, 0		/* ICIALLU */
	mcr	p15, 0, r0, c7, c5, 6		/* BPIALL */
	mcr	p15, 4, r0, c8, c7, 0		/* TLBIALLH */
	mcr	p15, 4, r0, c8, c7, 4		/* TLBIALLNSNH */
	dsb	sy
	isb
	load_address r0, vectors
	mcr	p15, 4, r0, c12, c0, 0		/* HVBAR */

clear_bss:
	load_address r0, __bss_start
	load_address r1, __bss_end		/* both 16-byte aligned */
	mov	r2, #0
	mov	r3, #0
1:	strd	r2, r3, [r0], #8
	cmp	r0, r1
	blo	1b

	load_address r0, boot_state
	strd	r4, r5, [r0, #BOOT_TICKS]
	str	r6, [r0, #BOOT_DTB]
	str	r7, [r0, #BOOT_LEVEL]
	str	r9, [r0, #BOOT_SCTLR]
	str	r10, [r0, #BOOT_HCR]
	str	r8, [r0, #BOOT_PSR]

	load_address sp, __boot_stack_end
	bl	hyp_main
	b	.
