/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of the background VM (hyp/run/background.h), a page of its own. In Supervisor mode, MMU
 * and caches off, r0: bit 0 whether to use FP registers, bit 1 whether its CPU interface is in the
 * page beside, bit 2 whether that has active priorities. Then r0 counts the rounds. A register of
 * its own that is not what it left there sends it to an address that it does not have: the step
 * ends with a fault.
 */
#include "arch/fp_context.h"
#include "arch/psr.h"

	.arch	armv7ve
	.fpu	neon-vfpv4
	.arm

#define ALL 0xb5b5b5b0
#define MAIR 0xff04		/* MAIR_VALUE of lib/lpae.h: gem5 has EL2's types from it */
#define SCTLR 0x00c50078	/* translation stays off */
#define CPACR 0x00f00000	/* FP registers usable */
#define TIMER_MASKED 2
#define PMR 0x88
#define ACTIVE 0x80000000	/* the lowest priority */

	.macro	value constant
	ldr	r2, =\constant
	.endm

	.macro	write op1, CRn, CRm, op2
	mcr	p15, \op1, r2, \CRn, \CRm, \op2
	.endm

	.macro	write_64 op1, CRm
	mcrr	p15, \op1, r2, r2, \CRm
	.endm

	.macro	write_mode mode
	cps	#\mode
	mov	sp, r2
	mov	lr, r2
	msr	spsr_cxsf, r3
	.endm

	.section .rodata.busy, "a"
	.balign	4096
	.global	__background_start
__background_start:
	mov	r1, r0
	adr	r2, __background_start
	eor	r2, r2, #4096
	mov	r3, #PMR
	mov	r4, #ACTIVE
	tst	r0, #2
	strne	r3, [r2, #4]			/* GICC_PMR */
	tst	r0, #4
	strne	r4, [r2, #0xd0]			/* GICC_APR0 */
	value	SCTLR
	write	0, c1, c0, 0
	value	CPACR
	write	0, c1, c0, 2
	value	TIMER_MASKED
	write	0, c14, c3, 1			/* CNTV_CTL */
	write	0, c14, c2, 1			/* CNTP_CTL */
	value	0x303
	write	0, c14, c1, 0			/* CNTKCTL */
	value	3
	write	2, c0, c0, 0			/* CSSELR */
	value	0x80003500
	write	0, c2, c0, 2			/* TTBCR, EAE set: before MAIR0 */
	isb
	value	0xb5b5b800
	write	0, c12, c0, 0			/* VBAR */
	value	MAIR
	write	0, c10, c2, 0			/* MAIR0 */
	value	ALL
	write	0, c10, c2, 1			/* MAIR1 */
	write_64 0, c2				/* TTBR0 */
	write_64 1, c2				/* TTBR1 */
	write	0, c3, c0, 0			/* DACR */
	write	0, c10, c3, 0			/* AMAIR0 */
	write	0, c10, c3, 1			/* AMAIR1 */
	write	0, c13, c0, 1			/* CONTEXTIDR */
	write	0, c5, c0, 0			/* DFSR */
	write	0, c5, c0, 1			/* IFSR */
	write	0, c6, c0, 0			/* DFAR */
	write	0, c6, c0, 2			/* IFAR */
	write	0, c5, c1, 0			/* ADFSR */
	write	0, c5, c1, 1			/* AIFSR */
	write_64 0, c7				/* PAR */
	write	0, c13, c0, 2			/* TPIDRURW */
	write	0, c13, c0, 3			/* TPIDRURO */
	write	0, c13, c0, 4			/* TPIDRPRW */
	write_64 3, c14				/* CNTV_CVAL */
	write_64 2, c14				/* CNTP_CVAL */

	ldr	r3, =0xb0000010
	write_mode PSR_MODE_ABT
	write_mode PSR_MODE_UND
	write_mode PSR_MODE_IRQ
	cps	#PSR_MODE_FIQ
	mov	r8, r2
	mov	r9, r2
	mov	r10, r2
	mov	r11, r2
	mov	r12, r2
	write_mode PSR_MODE_FIQ
	cps	#PSR_MODE_SYS
	mov	sp, r2
	mov	lr, r2
	write_mode PSR_MODE_SVC
	.irp	n, 3,4,5,6,7,8,9,10,11,12
	mov	r\n, r2
	.endr
	mov	r0, #0
	tst	r1, #1
	beq	rounds
	mov	r3, #FPEXC_EN
	vmsr	fpexc, r3
	mov	r5, #(2 << 22)			/* FPSCR: round toward minus infinity */
	b	2f

1:	vmov	r3, r4, d0			/* the last round's */
	cmp	r3, r0
	bne	broken
	vmov	r3, r4, d31
	cmp	r4, r0
	bne	broken
	vmrs	r3, fpscr
	cmp	r3, r5
	bne	broken
2:	add	r0, r0, #1
	vmsr	fpscr, r5
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmov	d\n, r0, r0
	.endr
	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmov	d\n, r0, r0
	.endr
	b	1b

rounds:	add	r0, r0, #1
	mrc	p15, 0, r3, c13, c0, 4		/* TPIDRPRW */
	cmp	r3, r2
	bne	broken
	cmp	lr, r2
	beq	rounds
broken:	mov	pc, #0
	.ltorg
	.balign	4096
