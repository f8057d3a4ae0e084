/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HC_COLD returns to the guest by code of its own, in cache lines of its own. After the load of the
 * guest's registers this code cleans the lines of the frame and of the stack, or invalidates EL2's
 * TLB entries. The exit that is measured next finds no line of its path in a cache, or no page in a
 * TLB.
 */
#include "hyp/arch/armv8/frame.inc"

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
	adrp	x1, vectors_hvc_return
	add	x1, x1, :lo12:vectors_hvc_return
	cmp	x30, x1
	b.eq	1f
	ret
1:	ldr	x1, [x0, #TRAP_FRAME_X(1)]
	pairs	ldp, 2, 4
	ldp	x16, x30, [sp, #TRAP_FRAME_LIGHT]
	.rept	STACK_LINES + 1
	dc	civac, x0
	sub	x0, x0, #LINE
	.endr
	dsb	sy
	cmp	x1, #STATE_COLD_TLB
	b.ne	2f
	tlbi	alle2 /* the TLB has the page of the frame again */
	dsb	nsh
	isb
2:	add	sp, sp, #TRAP_FRAME_SIZE
	mov	x0, #0				/* HC_OK */
	eret
	.balign	LINE
