/* SPDX-License-Identifier: Apache-2.0 */
	/* bool undefined_is_taken(void): L2CTLR, of the implementation, in ARM and in Thumb state.
	   Leaves by wrong() for any other exception. */
	.syntax	unified
	.arch	armv7ve
	.arm
	.text
	.global	undefined_is_taken
undefined_is_taken:
	adr	r1, vectors
	mcr	p15, 0, r1, c12, c0, 0
	mov	r0, #0
	mrc	p15, 1, r1, c9, c0, 2
	mov	r3, lr
	blx	thumb
	cmp	r0, #2
	moveq	r0, #1
	movne	r0, #0
	bx	r3

	.balign	32
vectors:
	b	wrong
	b	undefined
	.rept	6
	b	wrong
	.endr
undefined:			/* lr is behind the instruction: 4, or 2 and within it */
	add	r0, r0, #1
	mrs	r2, spsr
	tst	r2, #1 << 5
	addne	lr, lr, #2
	movs	pc, lr

	.thumb
	.thumb_func
thumb:	mrc	p15, 1, r1, c9, c0, 2
	bx	lr
