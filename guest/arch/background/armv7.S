/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of the background VM (guest_background.c in hyp/run), one page. The code starts in
 * Supervisor mode with MMU and caches off. r0: bit 0: use FP registers; bit 1: the next page has
 * the CPU interface; bit 2: the CPU interface has active priorities. Afterwards r0 counts the
 * rounds. If a register has lost its value, the code jumps to an unmapped address, and the step
 * ends with a fault.
 */
#include "arch/fp_context.h"
#include "arch/psr.h"

	.arch	armv7ve
	.fpu	neon-vfpv4
	.arm

#define ALL 0xb5b5b5b0
#define MAIR 0xff04		/* MAIR_VALUE of lib/lpae.h: gem5 uses EL1's MAIR for EL2 */
#define SCTLR 0x00c50078	/* translation stays off */
#define CPACR 0x00f00000	/* FP registers usable */
#define TIMER_MASKED 2
#define PMR 0x88
#define ACTIVE 0x80000000	/* the lowest priority */

	/*
	 * The operands of a 32-bit register are "op1, r2, CRn, CRm, op2", those of a 64-bit
	 * register "op1, r2, r2, CRm".
	 */
	.macro	write instruction, value, registers:vararg
	ldr	r2, =\value
	.irp	register, \registers
	\instruction p15, \register
	.endr
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
	write	mcr, SCTLR, "0, r2, c1, c0, 0"	/* SCTLR */
	write	mcr, CPACR, "0, r2, c1, c0, 2"	/* CPACR */
	write	mcr, TIMER_MASKED, "0, r2, c14, c3, 1", "0, r2, c14, c2, 1"	/* timers */
	write	mcr, 0x303, "0, r2, c14, c1, 0"	/* CNTKCTL */
	write	mcr, 3, "2, r2, c0, c0, 0"	/* CSSELR */
	write	mcr, 0x80003500, "0, r2, c2, c0, 2"	/* TTBCR */
	isb					/* EAE decides the meaning of MAIR0 */
	write	mcr, 0xb5b5b800, "0, r2, c12, c0, 0"	/* VBAR */
	write	mcr, MAIR, "0, r2, c10, c2, 0"	/* MAIR0 */
	write	mcr, ALL, "0, r2, c10, c2, 1", "0, r2, c3, c0, 0"	/* MAIR1, DACR */
	write	mcr, ALL, "0, r2, c10, c3, 0", "0, r2, c10, c3, 1"	/* AMAIR0, AMAIR1 */
	write	mcr, ALL, "0, r2, c13, c0, 1", "0, r2, c5, c0, 0"	/* CONTEXTIDR, DFSR */
	write	mcr, ALL, "0, r2, c5, c0, 1", "0, r2, c6, c0, 0"	/* IFSR, DFAR */
	write	mcr, ALL, "0, r2, c6, c0, 2", "0, r2, c5, c1, 0"	/* IFAR, ADFSR */
	write	mcr, ALL, "0, r2, c5, c1, 1", "0, r2, c13, c0, 2"	/* AIFSR, TPIDRURW */
	write	mcr, ALL, "0, r2, c13, c0, 3", "0, r2, c13, c0, 4"	/* TPIDRURO, TPIDRPRW */
	write	mcrr, ALL, "0, r2, r2, c2", "1, r2, r2, c2", "0, r2, r2, c7" /* TTBR0, 1; PAR */
	write	mcrr, ALL, "3, r2, r2, c14", "2, r2, r2, c14"	/* CNTV_CVAL, CNTP_CVAL */

	ldr	r3, =0xb0000010
	write_mode PSR_MODE_ABT
	write_mode PSR_MODE_UND
	write_mode PSR_MODE_IRQ
	cps	#PSR_MODE_FIQ
	.irp	n, 8,9,10,11,12
	mov	r\n, r2
	.endr
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

1:	vmov	r3, r4, d0			/* the value of the last round */
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
	vdup.32	q\n, r0
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
