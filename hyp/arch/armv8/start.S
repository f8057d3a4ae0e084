/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first instructions: from whatever a boot loader left on to C at EL2 with translation and
 * caches off. At another level than EL2 there is nothing to run on, but C still says so.
 */
#define SCTLR_EL2_OFF 0x30c50830 /* the RES1 bits of Armv8.0; M, C, I and all else 0 */

	.section .text.start, "ax"
	.global _start
_start:
	msr	daifset, #0xf
	mrs	x0, currentel
	cmp	x0, #(2 << 2)
	b.ne	clear_bss

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

	mrs	x0, currentel
	cmp	x0, #(2 << 2)
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
