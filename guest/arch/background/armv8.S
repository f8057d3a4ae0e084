/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of the background VM (guest_background.c in hyp/run), one page. The code starts at EL1h
 * with MMU and caches off. x0: bit 0: use FP registers; bit 1: the next page has a GICv2's CPU
 * interface; bit 2: the CPU interface has active priorities. Afterwards x0 counts the rounds. If a
 * register has lost its value, the code jumps to an unmapped address, and the step ends with a
 * fault.
 */
#define ALL 0xb5b5b5b5b5b5b5b0	/* a multiple of 16, as stack pointers need */
#define SCTLR 0x30d00800	/* translation stays off */
#define CPACR 0x300000		/* FP registers usable */
#define TIMER_MASKED 2
#define PMR 0x88
#define ACTIVE 0x80000000	/* the lowest priority */

	.macro	write value, registers:vararg
	ldr	x2, =\value
	.irp	name, \registers
	msr	\name, x2
	.endr
	.endm

	.section .rodata.busy, "a"
	.balign	4096
	.global	__background_start
__background_start:
	mov	x1, x0
	mov	x3, #PMR
	mov	x4, #ACTIVE
	tbz	x0, #1, 1f
	adr	x2, __background_start
	eor	x2, x2, #4096
	str	w3, [x2, #4]			/* GICC_PMR */
	tbz	x0, #2, 2f
	str	w4, [x2, #0xd0]			/* GICC_APR0 */
	b	2f
1:	msr	s3_0_c4_c6_0, x3		/* ICC_PMR_EL1 */
	msr	s3_0_c12_c9_0, x4		/* ICC_AP1R0_EL1 */
2:	write	SCTLR, sctlr_el1
	write	CPACR, cpacr_el1
	write	TIMER_MASKED, cntv_ctl_el0, cntp_ctl_el0
	write	0x303, cntkctl_el1
	write	3, csselr_el1
	write	0x60000000, spsr_el1
	write	ALL, ttbr0_el1, ttbr1_el1, mair_el1, amair_el1, contextidr_el1
	write	0xb5b5b800, vbar_el1
	write	0x3519, tcr_el1
	write	ALL, esr_el1, far_el1, elr_el1, sp_el0, afsr0_el1, afsr1_el1, par_el1
	write	ALL, tpidr_el0, tpidrro_el0, tpidr_el1, cntv_cval_el0, cntp_cval_el0
	mov	sp, x2
	isb
	.irp	n, 3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30
	mov	x\n, x2
	.endr
	mov	x0, #0
	tbz	x1, #0, rounds
	mov	x4, #0x800000			/* FPCR: round toward minus infinity */
	mov	x5, #0x10			/* FPSR: the flag of an inexact result */
	b	2f

1:	umov	x3, v0.d[0]			/* the value of the last round */
	cmp	x3, x0
	b.ne	broken
	umov	x3, v31.d[1]
	cmp	x3, x0
	b.ne	broken
	mrs	x3, fpcr
	cmp	x3, x4
	b.ne	broken
2:	add	x0, x0, #1
	msr	fpcr, x4
	msr	fpsr, x5
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	dup	v\n\().2d, x0
	.endr
	.irp	n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	dup	v\n\().2d, x0
	.endr
	b	1b

rounds:	add	x0, x0, #1
	mrs	x3, tpidr_el1
	cmp	x3, x2
	b.ne	broken
	cmp	x30, x2
	b.eq	rounds
broken:	br	xzr
	.ltorg
	.balign	4096
