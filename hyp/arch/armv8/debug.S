/* SPDX-License-Identifier: Apache-2.0 */
/* Resets the self-hosted debug registers as a cold reset does (DDI 0487 D13.3). */
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
	msr	oslar_el1, x0		/* locked: all of MDSCR can be written, OSECCR too */
	isb
	mrs	x0, id_aa64dfr0_el1
	ubfx	x1, x0, #12, #4		/* BRPs */
	ubfx	x2, x0, #20, #4		/* WRPs */
	clear_pairs dbgbcr, dbgbvr, x1
	clear_pairs dbgwcr, dbgwvr, x2
	msr	mdscr_el1, xzr
	msr	mdccint_el1, xzr
	msr	oseccr_el1, xzr
	mov	x0, #0xff
	msr	dbgclaimclr_el1, x0
	isb
	ret
