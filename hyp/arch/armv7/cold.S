/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HC_COLD returns to the guest by code of its own, in cache lines of its own. After the load of the
 * guest's registers this code cleans the lines of the frame and of the stack, or invalidates HYP
 * mode's TLB entries. The exit that is measured next finds no line of its path in a cache, or no
 * page in a TLB.
 */
#include "hyp/arch/armv7/frame.inc"

#define LINE 64
#define STATE_COLD_TLB 2
#define STACK_LINES 4 /* below the frame; C uses fewer after the caches are empty */

	/*
	 * struct vcpu *cold_return(struct vcpu *): the end of HC_COLD. If the return address is the
	 * plain vector table, only jumps lead here from there: nothing is on the stack, and every
	 * register outside of the light frame is the guest's. Otherwise return `vcpu`.
	 */
	.section .text.cold_return, "ax"
	.balign	LINE
	.global	cold_return
cold_return:
	movw	r1, #:lower16:vectors_hvc_return
	movt	r1, #:upper16:vectors_hvc_return
	cmp	lr, r1
	bxne	lr
	ldmib	r0, {r1-r3, r12, lr}
	.rept	STACK_LINES + 1
	mcr	p15, 0, r0, c7, c14, 1		/* DCCIMVAC */
	sub	r0, r0, #LINE
	.endr
	dsb	sy
	cmp	r1, #STATE_COLD_TLB
	bne	1f
	mcr	p15, 4, r0, c8, c7, 0		/* TLBIALLH: the TLB has the page of the frame */
	dsb	sy
	isb
1:	add	sp, sp, #TRAP_FRAME_LIGHT_SIZE
	mov	r0, #0				/* HC_OK */
	eret
	.balign	LINE
