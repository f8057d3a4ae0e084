/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first instructions: from whatever a boot loader left on to C at EL2 with translation and
 * caches off. At another level than EL2 there is nothing to run on, but C still says so.
 */
#include "hyp/boot_state.h"

#define SCTLR_EL2_OFF 0x30c50830 /* the RES1 bits of Armv8.0; M, C, I and all else 0 */

	.section .text.start, "ax"
	.global _start
_start:
	mrs	x19, cntpct_el0			/* x19 to x24: struct boot_state */
	mrs	x24, daif
	msr	daifset, #0xf
	mov	x20, x0
	mov	x22, #0
	mov	x23, #0
	mrs	x21, currentel
	lsr	x21, x21, #2
	cmp	x21, #ENTRY_EL2
	b.ne	clear_bss
	mrs	x22, sctlr_el2
	mrs	x23, hcr_el2

	/* Our own lines may be dirty in a cache that a loader left on: to memory with them, before
	   the cache goes off. With the cache off already this is harmless. */
	mrs	x3, ctr_el0
	ubfx	x3, x3, #16, #4
	mov	x4, #4
	lsl	x4, x4, x3			/* bytes in the smallest data cache line */
	ldr	x0, =__image_start
	ldr	x1, =__image_end
1:	dc	civac, x0
	add	x0, x0, x4
	cmp	x0, x1
	b.lo	1b
	dsb	sy

	ldr	x0, =SCTLR_EL2_OFF
	msr	sctlr_el2, x0
	isb
	ic	iallu
	tlbi	alle2
	tlbi	alle1
	dsb	sy
	isb

clear_bss:
	ldr	x0, =__bss_start
	ldr	x1, =__bss_end			/* both 16-byte aligned */
1:	stp	xzr, xzr, [x0], #16
	cmp	x0, x1
	b.lo	1b

	ldr	x0, =boot_state
	stp	x19, x20, [x0, #BOOT_TICKS]
	stp	x21, x22, [x0, #BOOT_LEVEL]
	stp	x23, x24, [x0, #BOOT_HCR]

	cmp	x21, #ENTRY_EL2
	b.ne	2f
	ldr	x0, =vectors
	msr	vbar_el2, x0
2:	mov	x0, #1
	msr	spsel, x0
	ldr	x0, =__boot_stack_end
	mov	sp, x0
	bl	hyp_main
	b	.
	.ltorg
