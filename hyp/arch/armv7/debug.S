/* SPDX-License-Identifier: Apache-2.0 */
/* Reset the debug registers as a cold reset does (DDI 0406C C11.11; every core with the
 * Virtualization Extensions has v7.1 Debug), and the ThumbEE registers (B1.13.2). */
	.arch	armv7ve
	.arch_extension virt
	.arm

#define OS_LOCK_KEY 0xc5acce55

	.macro	clear_pairs control, value, highest
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	cmp	\highest, #\n
	blo	1f
	mcr	p14, 0, r0, c0, c\n, \control
	mcr	p14, 0, r0, c0, c\n, \value
	.endr
1:
	.endm

	.text
	/* void cpu_reset_debug(void) */
	.global	cpu_reset_debug
cpu_reset_debug:
	mov	r0, #0
	mrc	p15, 0, r1, c0, c1, 2	/* ID_DFR0 */
	tst	r1, #0xf		/* CopDbg: 0 without debug registers, as on gem5 */
	beq	4f
	mcr	p14, 0, r0, c1, c3, 4	/* DBGOSDLR */
	isb				/* the double lock blocks the registers below */
	ldr	r1, =OS_LOCK_KEY
	mcr	p14, 0, r1, c1, c0, 4	/* DBGOSLAR: unlocks every field of DBGDSCR */
	isb
	mrc	p14, 0, r1, c0, c0, 0	/* DBGDIDR */
	ubfx	r2, r1, #24, #4		/* BRPs */
	lsr	r3, r1, #28		/* WRPs */
	clear_pairs 5, 4, r2
	clear_pairs 7, 6, r3
	mcr	p14, 0, r0, c0, c2, 2	/* DBGDSCRext */
	mcr	p14, 0, r0, c0, c7, 0	/* DBGVCR */
	mov	r1, #0xff
	mrc	p15, 4, r2, c12, c0, 0	/* HVBAR */
	adr	r3, skip_undefined
	mcr	p15, 4, r3, c12, c0, 0
	isb
	mrs	r3, ELR_hyp
	mrs	ip, SPSR
	mcr	p14, 0, r1, c7, c9, 6	/* DBGCLAIMCLR: QEMU has this register since 8.1 */
	mcr	p15, 4, r2, c12, c0, 0
	msr	ELR_hyp, r3
	msr	SPSR_cxsf, ip
4:
	mrc	p15, 0, r1, c0, c1, 0	/* ID_PFR0 */
	tst	r1, #0xf000		/* State3: ThumbEE */
	beq	2f			/* gem5 ignores the condition of an undefined instruction */
	mcr	p14, 6, r0, c0, c0, 0	/* TEECR */
	mcr	p14, 6, r0, c1, c0, 0	/* TEEHBR */
2:	isb
	bx	lr
	.ltorg

	/* Vectors that continue after an instruction that is undefined at PL2. */
	.balign	32
skip_undefined:
	b	vectors
	b	1f
	.irp	n, 2, 3, 4, 5, 6, 7
	b	vectors + 4 * \n
	.endr
1:
	mrs	r0, ELR_hyp
	add	r0, r0, #4
	msr	ELR_hyp, r0
	mov	r0, #0
	eret
