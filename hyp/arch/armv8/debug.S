/* SPDX-License-Identifier: Apache-2.0 */
/* Reset the self-hosted debug registers as a cold reset does (DDI 0487 D13.3). */
	.macro	clear n, control, value, highest
	cmp	\highest, #\n
	b.lo	1f
	msr	\control\n\()_el1, xzr
	msr	\value\n\()_el1, xzr
	.endm

	.macro	clear_pairs control, value, highest
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	clear	\n, \control, \value, \highest
	.endr
1:
	.endm

	.text
	/* void cpu_reset_debug(void) */
	.global	cpu_reset_debug
cpu_reset_debug:
	msr	osdlr_el1, xzr
	mov	x0, #1
	msr	oslar_el1, x0 /* the lock lets all fields of MDSCR be written, and OSECCR */
	isb
	mrs	x0, id_aa64dfr0_el1
	ubfx	x1, x0, #12, #4		/* BRPs */
	ubfx	x2, x0, #20, #4		/* WRPs */
	clear_pairs dbgbcr, dbgbvr, x1
	clear_pairs dbgwcr, dbgwvr, x2
	msr	mdscr_el1, xzr
	msr	mdccint_el1, xzr
	mov	x0, #0xff
	mrs	x1, vbar_el2
	mrs	x2, elr_el2
	mrs	x3, spsr_el2
	adr	x4, skip_undefined
	msr	vbar_el2, x4
	isb
	msr	oseccr_el1, xzr		/* QEMU has both registers since 8.1 */
	msr	dbgclaimclr_el1, x0
	msr	vbar_el2, x1
	msr	elr_el2, x2
	msr	spsr_el2, x3
	isb
	ret

	/* Vectors that continue after an instruction that is undefined at EL2. */
	.balign	0x800
skip_undefined:
	.org	skip_undefined + 0x200
	mrs	x4, elr_el2
	add	x4, x4, #4
	msr	elr_el2, x4
	eret
	.irp	n, 5, 6, 7
	.balign 0x80; mov x0, #\n; b hyp_exception
	.endr
