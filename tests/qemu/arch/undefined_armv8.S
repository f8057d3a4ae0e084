/* SPDX-License-Identifier: Apache-2.0 */
	/* bool undefined_is_taken(void): an implementation-defined register, as EL1 and as EL0 see
	   it, by each one's vector. Leaves by wrong() for any other exception. */
	.text
	.global	undefined_is_taken
undefined_is_taken:
	adr	x1, vectors
	msr	vbar_el1, x1
	mov	x9, #0
	mrs	x1, s3_1_c15_c2_7
	mov	x10, x9
	adr	x1, user
	msr	elr_el1, x1
	msr	spsr_el1, xzr
	eret
user:	mrs	x1, s3_1_c15_c2_7
	/* back, by the exception itself: at EL1 */
	eor	x10, x10, #0x200
	eor	x9, x9, #0x400
	orr	x9, x9, x10
	cmp	x9, #0
	cset	w0, eq
	ret

	.balign	0x800
vectors:			/* x9: which one of them */
	.set	offset, 0
	.rept	16
	mov	x9, #offset
	b	exception
	.balign	0x80
	.set	offset, offset + 0x80
	.endr
exception:
	mrs	x11, esr_el1
	lsr	x12, x11, #26
	cbnz	x12, wrong		/* an unknown reason */
	cmp	x9, #0x400
	b.ne	1f
	mov	x12, #0x3c5
	msr	spsr_el1, x12
1:	mrs	x11, elr_el1
	add	x11, x11, #4
	msr	elr_el1, x11
	eret
